/** Content hash by which an unchanged document is recognised. */
import { canonicalJson, hex, lengthPrefixed, sha256 } from 'hono-rag-gate/core/lib'
import type { Embedding } from 'hono-rag-gate/ports'
import type { IncomingDocument } from './incoming-document.ts'
import type { Splitter } from './splitter.ts'

/**
 * Characters that hide text or reorder it: bidirectional overrides, tag characters except those of a flag, and variation
 * selectors in a row, as in a question.
 */
const HIDING = String.raw`[\u202a-\u202e\u2066-\u206f]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]\p{DI}*[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,5})[\u{e0000}-\u{e007f}]`
const HIDES = new RegExp(HIDING, 'u')

/**
 * Invisible characters to remove: also zero-width spaces and word joiners, at which pages let long words break. Joiners
 * (U+200C, U+200D), direction marks and soft hyphens are kept, because normal text contains them.
 */
const INVISIBLE = new RegExp(`${HIDING}|[\\u200b\\u2060-\\u2064\\ufeff]`, 'gu')

export function hidesText(text: string): boolean {
  return HIDES.test(text)
}

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
