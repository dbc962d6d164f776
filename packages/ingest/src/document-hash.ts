/** Content hash by which an unchanged document is recognised. */
import { canonicalJson, hex, lengthPrefixed, sha256 } from 'hono-rag-gate/core/lib'
import type { Embedding } from 'hono-rag-gate/ports'
import type { IncomingDocument } from './incoming-document.ts'
import type { Splitter } from './splitter.ts'

/**
 * Invisible characters to remove: zero-width spaces and word joiners, bidirectional overrides, tag characters. Joiners
 * (U+200C, U+200D), direction marks and soft hyphens are kept, because normal text contains them.
 */
const INVISIBLE = /[\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '')
}

/** Part of every hash, so that documents are ingested again after a change of splitter or embedding. */
export function documentOrigin({ version }: Pick<Splitter, 'version'>, { model, dimension }: Embedding): string {
  return lengthPrefixed([version, model, String(dimension)])
}

/** SHA-256 in hexadecimal; the same for the same document and origin. */
export function documentHash(origin: string, document: IncomingDocument): string {
  const { text, format } = document
  return hex(sha256(lengthPrefixed([origin, format, withoutInvisible(text), canonicalJson(factsOf(document))])))
}

/** A document's own metadata. */
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
