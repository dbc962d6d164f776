/** Writing to the word index. */
import type { D1PreparedStatement } from '@cloudflare/workers-types'
import { jsonBatches } from 'hono-rag-gate/adapters/d1'
import type { Passage } from 'hono-rag-gate/core/evidence'
import { requireOptions, utf8 } from 'hono-rag-gate/core/lib'
import { terms } from 'hono-rag-gate/core/text'
import type { ChunkIndex, IndexRoom } from 'hono-rag-gate/ports'
import { callerOf, storedPassage, WORD_INDEX_OPTIONS, wordEmbedding, type WordIndexOptions } from './caller.ts'
import { ADD, COUNT, FETCH, OPEN, REMOVE } from './statements.ts'

/**
 * Writes passages with the terms of their texts. Each call is one transaction, visible to the next search. Read it with
 * `createWordRetriever` and the same language.
 *
 * @returns an index whose methods throw `retriever_timeout`, `retriever_unavailable`, `index_full` if the database is
 *   full, and `schema_outdated` if migrations are missing
 * @throws `config_invalid` for invalid options
 */
export function createWordIndex(options: WordIndexOptions): ChunkIndex {
  requireOptions(options, WORD_INDEX_OPTIONS)
  const { db, language } = options
  const call = callerOf(options, 10_000)
  const { model, dimension } = wordEmbedding(language)

  /** Size of the database after the last write, until it is read. */
  let usedBytes: number | undefined

  /** All statements for each list, in turn. */
  function each(sqls: readonly string[], namespace: string, lists: readonly string[]): D1PreparedStatement[] {
    const prepared = sqls.map((sql) => db.prepare(sql))
    return lists.flatMap((list) => prepared.map((statement) => statement.bind(namespace, list)))
  }

  function rowOf(passage: Passage): readonly [id: string, words: number, passage: Passage, terms: string] {
    const found = terms(passage.text, language)
    return [passage.id, found.length, passage, found.map((term) => ` ${term}`).join('')]
  }

  return {
    describe: async () => ({ embeddingModel: model, dimension }),

    async upsert(namespace, passages) {
      if (passages.length === 0) return
      // If an id occurs twice, the last one wins.
      const rows = [...new Map(passages.map((passage) => [passage.id, passage])).values()].map(rowOf)
      const ids = jsonBatches(rows.map(([id]) => id))
      const words = rows.reduce((sum, [, count]) => sum + count, 0)
      const written = [
        db.prepare(OPEN).bind(namespace),
        ...each(REMOVE, namespace, ids),
        ...each(ADD, namespace, listsOf(rows)),
        db.prepare(COUNT).bind(namespace, rows.length, words),
      ]
      const results = await call(() => db.batch(written))
      usedBytes = results.at(-1)?.meta.size_after
    },

    async fetch(namespace, ids) {
      const asked = each([FETCH], namespace, jsonBatches(new Set(ids)))
      if (asked.length === 0) return []
      const results = await call(() => db.batch<{ id: string; passage: string }>(asked))
      const rows = results.flatMap((result) => result.results)
      const found = new Map(rows.map(({ id, passage }) => [id, storedPassage(id, passage)]))
      return ids.map((id) => found.get(id) ?? null)
    },

    async delete(namespace, ids) {
      const removed = each(REMOVE, namespace, jsonBatches(new Set(ids)))
      if (removed.length > 0) await call(() => db.batch(removed))
    },

    async settle() {
      const bytes = usedBytes ?? (await call(() => db.prepare('SELECT 1').run())).meta.size_after
      usedBytes = undefined
      return roomOf(bytes)
    },
  }
}

/** Maximum database size on the free and the paid plan. @see https://developers.cloudflare.com/d1/platform/limits/ */
const DATABASE_BYTES = [500_000_000, 10_000_000_000] as const

/** The plan is unknown: a database larger than the free limit is on the paid plan. */
function roomOf(usedBytes: number | undefined): IndexRoom | undefined {
  const limitBytes = DATABASE_BYTES.find((bytes) => (usedBytes ?? Infinity) <= bytes)
  return usedBytes === undefined || limitBytes === undefined ? undefined : { usedBytes, limitBytes }
}

/** Maximum size of a list, bytes: D1 accepts strings of 2 MB, and the free plan 50 queries per request. */
const LIST_BYTES = 1_500_000

/** Splits values into JSON lists short enough to bind; a value that is too long gets its own list. */
function listsOf(values: readonly unknown[]): string[] {
  const lists: string[][] = []
  let bytes = Infinity
  for (const value of values) {
    const member = JSON.stringify(value)
    const more = utf8(member).length + 1
    if (bytes + more > LIST_BYTES) {
      lists.push([])
      bytes = 0
    }
    lists.at(-1)!.push(member)
    bytes += more
  }
  return lists.map((members) => `[${members.join(',')}]`)
}
