/** Collections that are known when the Worker is deployed: for people whose documents live elsewhere. */
import type { Lexicon } from '../core/text/lexicon.ts'
import { RagGateError } from '../errors.ts'
import type { Collection, Collections } from '../ports/collections.ts'

/** One collection. */
export interface StaticCollection {
  readonly id: string
  /** @default 'default' */
  readonly tenant?: string
  /**
   * Raise it when the documents change: answers made from older ones are then never found.
   *
   * @default 1
   */
  readonly corpusVersion?: number
  /** Term statistics, made with `buildLexicon`. Without them every term of a question counts alike. */
  readonly lexicon?: Lexicon
}

/** Makes collections from a list. */
export function createStaticCollections(list: readonly StaticCollection[]): Collections {
  const lexiconIdOf = (at: number): string | null => (list[at]?.lexicon === undefined ? null : String(at))
  const rows = list.map(({ id, tenant = 'default', corpusVersion = 1 }, at): Collection => ({
    tenant,
    id,
    corpusVersion,
    lexiconId: lexiconIdOf(at),
    embeddingModel: '',
    dimension: 0,
    policyId: null,
    unpublishedChunkIds: [],
  }))
  return {
    find: async (tenant, id) => rows.find((row) => row.tenant === tenant && row.id === id) ?? null,
    lexicon: async (lexiconId) => {
      const at = rows.findIndex((row) => row.lexiconId === lexiconId)
      const lexicon = list[at]?.lexicon
      if (lexicon === undefined) throw new RagGateError('lexicon_unreadable', 'There is no such collection lexicon')
      return lexicon
    },
  }
}
