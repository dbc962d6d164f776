/** By what a document is known to be unchanged. */
import { canonicalJson, hex, lengthPrefixed, sha256 } from 'hono-rag-gate/core/lib'
import type { Embedding } from 'hono-rag-gate/ports'
import type { IncomingDocument } from './incoming-document.ts'
import type { Splitter } from './splitter.ts'

/**
 * Invisible characters: zero-width spaces and word joiners, bidirectional overrides, tag characters. Joiners
 * (U+200C, U+200D), direction marks and soft hyphens stay: honest text has them.
 */
export const INVISIBLE = /[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Part of every hash: documents that were cut otherwise, went into another index or have another embedding go in again. */
export function documentOrigin({ version }: Pick<Splitter, 'version'>, { model, dimension }: Embedding): string {
  return lengthPrefixed([version, model, String(dimension)])
}

/** The same for the same document under the same origin: SHA-256, in hexadecimal. */
export function documentHash(origin: string, document: IncomingDocument): string {
  const { text, format } = document
  return hex(sha256(lengthPrefixed([origin, format, withoutInvisible(text), canonicalJson(factsOf(document))])))
}

/** What a document says of itself, beside its text. */
export function factsOf({
  title,
  source,
  version,
  metadata,
}: IncomingDocument): Pick<IncomingDocument, 'title' | 'source' | 'version' | 'metadata'> {
  return {
    ...(title === undefined ? {} : { title }),
    ...(source === undefined ? {} : { source }),
    ...(version === undefined ? {} : { version }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}
