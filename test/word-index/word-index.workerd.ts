import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWordIndex, createWordRetriever } from '../../packages/word-index/src/index.ts'
import type { Passage, Ranking } from '../../src/core/evidence/chunk.ts'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import { passesFilter } from '../../src/core/evidence/passage-filter.ts'
import { buildLexicon, inverseDocumentFrequency, meanChunkLength } from '../../src/core/text/lexicon.ts'
import { terms } from '../../src/core/text/terms.ts'
import { english } from '../../src/language/english/english.ts'
import { retrieverContract } from '../contracts/retriever.ts'
import { metered } from '../fixtures/metered-database.ts'

const options = { db: env.DB, language: english }
const index = createWordIndex(options)
const retriever = createWordRetriever(options)

retrieverContract('the word index in D1', async () => ({ retriever, index }))

let made = 0
const freshNamespace = (): string => `words-${(made += 1)}`

async function ask(
  namespace: string,
  question: string,
  { topK = 10, filter, from = retriever }: { topK?: number; filter?: PassageFilter; from?: typeof retriever } = {},
): Promise<Ranking> {
  const signal = new AbortController().signal
  const asked = { tenant: 't', collection: 'c', namespace, question, topK, signal }
  const [ranking] = await from.retrieve({ ...asked, ...(filter === undefined ? {} : { filter }) })
  return ranking!
}

const passage = (id: string, text: string, more: Partial<Passage> = {}): Passage => ({
  id,
  documentId: id,
  text,
  ...more,
})

/** BM25 as the literature has it, passage by passage. */
function bruteForce(passages: readonly Passage[], question: string): Map<string, number> {
  const lexicon = buildLexicon(
    passages.map(({ text }) => text),
    english,
  )
  const scores = new Map<string, number>()
  for (const { id, text } of passages) {
    const found = terms(text, english)
    let score = 0
    for (const term of new Set(terms(question, english))) {
      const frequency = found.filter((each) => each === term).length
      const norm = 1.2 * (0.25 + (0.75 * found.length) / meanChunkLength(lexicon))
      score += (inverseDocumentFrequency(lexicon, term) * frequency * 2.2) / (frequency + norm)
    }
    if (score > 0) scores.set(id, score)
  }
  return scores
}

const WORDS = [
  'refund',
  'refunds',
  'day',
  'naïve',
  'Äpfel',
  '返金',
  '北京市',
  'the',
  'API',
  'x1',
  'don’t',
  '_',
  'ß',
  '7_day',
  '"',
  'OR',
]
const textOf = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((found) => found.join(' '))
const passageOf = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  text: textOf,
  team: fc.constantFrom<unknown>('edge', 1, true, 0, null, ['edge'], { edge: 1 }, '1'),
})
const stepOf = fc.oneof(
  fc.record({ upsert: fc.array(passageOf, { minLength: 1, maxLength: 5 }) }),
  fc.record({ remove: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'x'), { maxLength: 3 }) }),
)

describe('the word index in D1', () => {
  it('scores like BM25 over its own namespace, after writes, replacements and deletions', async () => {
    await index.upsert('neighbour', [passage('a', 'refund refund day'), passage('b', 'Äpfel API x1 北京市')])
    const question = fc.tuple(textOf, fc.constantFrom<unknown>(undefined, 'edge', 1, false, ['1', 'edge']))
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf, { maxLength: 6 }), question, async (steps, [asked, team]) => {
        const namespace = freshNamespace()
        const model = new Map<string, Passage>()
        for (const step of steps) {
          if ('upsert' in step) {
            const written = step.upsert.map(({ id, text, team: value }) =>
              passage(id, text, { metadata: { team: value as string } }),
            )
            await index.upsert(namespace, written)
            for (const each of written) model.set(each.id, each)
          } else {
            await index.delete(namespace, step.remove)
            for (const id of step.remove) model.delete(id)
          }
        }
        const filter = team === undefined ? undefined : { 'metadata.team': team as string }
        const expected = [...bruteForce([...model.values()], asked)].filter(
          ([id]) => filter === undefined || passesFilter(model.get(id)!, filter),
        )
        const { kind, entries } = await ask(namespace, asked, { topK: 7, ...(filter === undefined ? {} : { filter }) })
        expect(kind).toBe('bm25')
        const byId = (pairs: readonly (readonly [string, number])[]): [string, number][] =>
          pairs
            .map(([id, score]): [string, number] => [id, Number(score.toFixed(9))])
            .sort(([a], [b]) => (a < b ? -1 : 1))
        expect(byId(entries.map((entry) => [entry.passage.id, entry.score]))).toEqual(byId(expected))
        for (const { passage: found } of entries) expect(found).toEqual(model.get(found.id))
      }),
      { numRuns: env.TEST_DEEP ? 60 : 25 },
    )
  })

  it('counts the last of equal ids in one call', async () => {
    const namespace = freshNamespace()
    await index.upsert(namespace, [passage('a', 'refund refund'), passage('a', 'day')])
    expect((await ask(namespace, 'refund')).entries).toEqual([])
    expect((await ask(namespace, 'day')).entries).toHaveLength(1)
  })

  it('writes 1,200 passages of 1,000 characters within the 50 statements of the free plan', async () => {
    const namespace = freshNamespace()
    const meter = metered(env.DB)
    const many = Array.from({ length: 1200 }, (_, at) => passage(`p${at}`, `word${at} ${'filler '.repeat(140)}`))
    await createWordIndex({ ...options, db: meter.db }).upsert(namespace, many)
    expect(meter.queries()).toBeLessThanOrEqual(9)
    expect((await ask(namespace, 'word1199')).entries.map(({ passage: { id } }) => id)).toEqual(['p1199'])
    const ids = many.map(({ id }) => id)
    expect(await index.fetch(namespace, ids)).toEqual(many)
    await index.delete(namespace, ids)
    expect((await ask(namespace, 'word1199 filler')).entries).toEqual([])
  })

  it('reads no more rows when other namespaces grow', async () => {
    const meter = metered(env.DB)
    const counted = createWordRetriever({ ...options, db: meter.db })
    const namespace = freshNamespace()
    await index.upsert(namespace, [passage('a', 'tide tables'), passage('b', 'tide pools')])
    meter.reset()
    await ask(namespace, 'tide', { from: counted })
    const before = meter.rowsRead()
    await index.upsert(
      freshNamespace(),
      Array.from({ length: 500 }, (_, at) => passage(`q${at}`, `tide ${at}`)),
    )
    meter.reset()
    await ask(namespace, 'tide', { from: counted })
    expect(meter.rowsRead()).toBe(before)
    expect(meter.queries()).toBe(1)
  })

  it('does not query the database for a question without terms', async () => {
    const meter = metered(env.DB)
    await ask(freshNamespace(), 'of the', { from: createWordRetriever({ ...options, db: meter.db }) })
    expect(meter.queries()).toBe(0)
  })

  it('names the language of its terms, so that another language is noticed', async () => {
    expect(retriever.embedding).toEqual({ model: 'words-2 english', dimension: 0 })
    expect(createWordRetriever({ db: env.DB }).embedding).toEqual({ model: 'words-2 neutral', dimension: 0 })
    expect(await index.describe()).toEqual({ embeddingModel: 'words-2 english', dimension: 0 })
  })

  it('finds whole words in any script without a language', async () => {
    const namespace = freshNamespace()
    const neutral = { db: env.DB }
    await createWordIndex(neutral).upsert(namespace, [passage('a', 'Der Hafen schließt'), passage('b', '北京市の港')])
    const from = createWordRetriever(neutral)
    expect((await ask(namespace, 'hafen', { from })).entries.map(({ passage: { id } }) => id)).toEqual(['a'])
    expect((await ask(namespace, '北京', { from })).entries.map(({ passage: { id } }) => id)).toEqual(['b'])
  })

  it.each([
    ['D1_ERROR: Network connection lost', 'retriever_unavailable', 2],
    ['D1_ERROR: no such table: passage_terms: SQLITE_ERROR', 'schema_outdated', 1],
  ])('reports %s as %s', async (message, code, tries) => {
    let asked = 0
    const failing = createWordRetriever({
      // Only what is asked of it here.
      db: {
        prepare: () => ({ bind: () => ({ all: () => ((asked += 1), Promise.reject(new Error(message))) }) }),
      } as unknown as D1Database,
    })
    await expect(ask('any', 'word', { from: failing })).rejects.toMatchObject({ code })
    expect(asked).toBe(tries)
  })

  it.each([
    'D1_ERROR: Exceeded maximum DB size',
    'D1_ERROR: database or disk is full: SQLITE_FULL',
    "D1_ERROR: Your account has exceeded D1's maximum account storage limit",
  ])('reports a full database, does not repeat the write, and keeps answering: %s', async (message) => {
    let tries = 0
    const db = new Proxy(env.DB, {
      get(target, property) {
        if (property === 'batch') return () => ((tries += 1), Promise.reject(new Error(message)))
        const value: unknown = Reflect.get(target, property)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    const full = createWordIndex({ ...options, db, upstream: { breaker: { minCalls: 1 } } })
    for (let at = 0; at < 30; at++) {
      await expect(full.upsert('full', [passage('a', 'tide')])).rejects.toMatchObject({ code: 'index_full' })
    }
    expect(tries).toBe(30)
  })

  it.each(['{"text":', '"a"', '{"text":1}'])('ignores a row that was changed to %s', async (stored) => {
    const namespace = freshNamespace()
    await index.upsert(namespace, [passage('a', 'ebb')])
    await env.DB.prepare('UPDATE passages SET passage = ? WHERE namespace = ?').bind(stored, namespace).run()
    await expect(ask(namespace, 'ebb')).rejects.toMatchObject({ code: 'retriever_bad_response' })
    await expect(index.fetch(namespace, ['a'])).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })
})

describe('the size of the database', () => {
  const sized = (bytes: number) => {
    const db = { ...env.DB, prepare: (sql: string) => env.DB.prepare(sql) } as D1Database
    db.batch = async <Row>(statements: D1PreparedStatement[]) => {
      const results = await env.DB.batch<Row>(statements)
      return results.map((result) => ({ ...result, meta: { ...result.meta, size_after: bytes } }))
    }
    return createWordIndex({ ...options, db })
  }

  it('is reported after a write', async () => {
    const own = createWordIndex(options)
    const namespace = freshNamespace()
    await own.upsert(namespace, [passage('a', 'The edge.')])
    expect(await own.settle(namespace)).toEqual({ usedBytes: expect.any(Number), limitBytes: 500_000_000 })
  })

  it('is read when nothing was written', async () => {
    const { usedBytes } = (await createWordIndex(options).settle(freshNamespace()))!
    const { meta } = await env.DB.prepare('SELECT 1').run()
    expect(usedBytes).toBe(meta.size_after)
    expect(usedBytes).toBeGreaterThan(10_000)
  })

  it.each([
    [450_000_000, { usedBytes: 450_000_000, limitBytes: 500_000_000 }],
    [600_000_000, { usedBytes: 600_000_000, limitBytes: 10_000_000_000 }],
    [11_000_000_000, undefined],
  ])('of %d bytes is compared with the plan that allows it', async (bytes, room) => {
    const own = sized(bytes)
    await own.upsert(freshNamespace(), [passage('a', 'The edge.')])
    expect(await own.settle('any')).toEqual(room)
  })
})
