/** Collections fixed at deployment, for documents that are indexed elsewhere. */
import { anything, required, requireOptions, text, whole } from '../core/lib/options.ts'
import { type CollectionScale, isCollectionScale } from '../core/scale/collection-scale.ts'
import { decodeLexicon, type Lexicon } from '../core/text/lexicon.ts'
import { RagGateError } from '../errors.ts'
import { type Collections, plainCollection } from '../ports/collections.ts'

/** One collection. */
export interface StaticCollection {
  readonly id: string
  /** @default 'default' */
  readonly tenant?: string
  /**
   * Raise it when the documents change, so that cached answers and refusals from older ones are no longer used. Without it,
   * refusals are cached for thirty seconds.
   *
   * @default 1
   */
  readonly corpusVersion?: number
  /**
   * Term statistics from `buildLexicon`, or the text that `rag-gate lexicon` writes, which is parsed when first needed.
   * Without them all terms of a question have the same weight.
   */
  readonly lexicon?: Lexicon | string
  /**
   * The collection's scale, from `learnScale` of `@hono-rag-gate/ingest` or parsed from the JSON that `rag-gate scale` writes.
   * It applies only to the policy and embedding with which it was learned.
   *
   * @default none
   */
  readonly scale?: CollectionScale | Readonly<Record<string, unknown>>
}

/**
 * Creates collections from a list.
 *
 * @throws `config_invalid` for an invalid option, and if a tenant has two collections with the same id
 */
export function createStaticCollections(list: readonly StaticCollection[]): Collections {
  if (!Array.isArray(list))
    throw new RagGateError('config_invalid', 'The collections must be a list', { param: 'list' })
  for (const each of list) {
    requireOptions<StaticCollection>(each, {
      id: required(text),
      tenant: text,
      corpusVersion: whole(1),
      lexicon: anything,
      scale: { words: 'what learnScale of @hono-rag-gate/ingest gave', holds: isCollectionScale },
    })
  }
  const rows = list.map(({ id, tenant = 'default', corpusVersion, lexicon, scale }, at) =>
    plainCollection({
      tenant,
      id,
      corpusVersion,
      lexiconId: lexicon === undefined ? null : String(at),
      // The cast is safe: checked above.
      ...(scale && { scale: scale as CollectionScale }),
    }),
  )
  const twice = rows.find(({ tenant, id }, at) => rows.findIndex((row) => row.tenant === tenant && row.id === id) < at)
  if (twice !== undefined) {
    throw new RagGateError('config_invalid', 'A tenant cannot have the same collection twice', { param: 'id' })
  }
  const lexicons = new Map<string, Lexicon>()
  return {
    find: (tenant, id) => rows.find((row) => row.tenant === tenant && row.id === id) ?? null,
    lexicon: async (lexiconId) => {
      const known = lexicons.get(lexiconId)
      if (known !== undefined) return known
      const given = list[rows.findIndex((row) => row.lexiconId === lexiconId)]?.lexicon
      if (given === undefined) throw new RagGateError('lexicon_unreadable', 'There is no such lexicon')
      const lexicon = typeof given === 'string' ? decodeLexicon(asWritten(given)) : given
      lexicons.set(lexiconId, lexicon)
      return lexicon
    },
  }
}

/** The text as it was written: editors and version control may change the ends of lines and files. */
function asWritten(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd()
}
