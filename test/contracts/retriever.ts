import { beforeEach, describe, expect, test } from 'vitest'
import type { Passage, Ranking } from '../../src/core/evidence/chunk.ts'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import type { ChunkIndex } from '../../src/ports/chunk-index.ts'
import type { RetrievalRequest, Retriever } from '../../src/ports/retriever.ts'

/** A retriever under test, and the write side of the same index. */
export interface RetrieverUnderTest {
  readonly retriever: Retriever
  readonly index: ChunkIndex
}

const PASSAGES: readonly Passage[] = [
  {
    id: 'gate-1',
    documentId: 'gate',
    text: 'The gate refuses a question when the evidence is weak.',
    title: 'The gate',
    section: 'Gate › Refusals',
    source: 'https://example.com/gate',
    version: '3',
    metadata: { team: 'edge', tags: ['gate', 'refusal'], depth: { of: 2 }, draft: false },
  },
  { id: 'cache-1', documentId: 'cache', text: 'Strong answers stay in the cache longer than weak answers.' },
  { id: 'log-1', documentId: 'log', text: 'Every decision is counted in the log.' },
  { id: 'log-2', documentId: 'log', text: 'A decision in the log can be replayed under another policy.' },
]

/** Range of the score kinds that a retriever may return. */
const RANGES: Partial<Record<Ranking['kind'], readonly [least: number, greatest: number]>> = {
  cosine: [-1, 1],
  bm25: [0, Number.MAX_VALUE],
  convex: [0, 1],
  'cross-encoder': [0, 1],
}

const idsIn = (rankings: readonly Ranking[]): string[] =>
  rankings.flatMap(({ entries }) => entries.map(({ passage }) => passage.id))

const kinds = (rankings: readonly Ranking[]): string[] => rankings.map(({ kind }) => kind)

/**
 * The contract of every retriever.
 *
 * @param make a retriever over an index that may hold anything in other namespaces
 */
export function retrieverContract(name: string, make: () => Promise<RetrieverUnderTest>): void {
  describe(`${name} fulfils the contract of a retriever`, () => {
    let tested: RetrieverUnderTest
    let namespace: string
    let made = 0

    beforeEach(async () => {
      tested = await make()
      namespace = `contract-${(made += 1)}`
      await tested.index.upsert(namespace, PASSAGES)
      await tested.index.settle(namespace)
    })

    function retrieve(question: string, more: Partial<RetrievalRequest> = {}): Promise<readonly Ranking[]> {
      const signal = new AbortController().signal
      return tested.retriever.retrieve({
        tenant: 'acme',
        // Retrievers that map collections to namespaces use the name unchanged.
        collection: more.namespace ?? namespace,
        namespace,
        question,
        topK: 10,
        signal,
        ...more,
      })
    }

    test('ranks the passage with the words of the question first in every ranking', async () => {
      const rankings = await retrieve('when is a question refused for weak evidence?')
      expect(rankings.length).toBeGreaterThan(0)
      for (const { entries } of rankings) expect(entries[0]?.passage.id).toBe('gate-1')
    })

    test('returns a passage as it was written', async () => {
      const rankings = await retrieve('gate refuses weak evidence')
      for (const { entries } of rankings) expect(entries[0]?.passage).toEqual(PASSAGES[0])
      const plain = await retrieve('strong answers cache')
      for (const { entries } of plain) expect(entries[0]?.passage).toEqual(PASSAGES[1])
    })

    test('every ranking names its score kind, and its scores fall and stay in the range of that kind', async () => {
      const rankings = await retrieve('decision log policy')
      expect(new Set(rankings.map(({ kind }) => kind)).size).toBe(rankings.length)
      for (const { kind, entries } of rankings) {
        const [least, greatest] = RANGES[kind] ?? [-Infinity, Infinity]
        const scores = entries.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        for (const score of scores) {
          expect(score).toBeGreaterThanOrEqual(least)
          expect(score).toBeLessThanOrEqual(greatest)
        }
      }
    })

    test('a ranking contains no passage twice and at most topK', async () => {
      const rankings = await retrieve('decision log answers evidence', { topK: 2 })
      for (const { entries } of rankings) {
        expect(entries.length).toBeLessThanOrEqual(2)
        expect(new Set(entries.map(({ passage }) => passage.id)).size).toBe(entries.length)
      }
    })

    test('an empty namespace gives empty rankings of the same kinds, not an error', async () => {
      const rankings = await retrieve('weak evidence', { namespace: 'contract-empty' })
      expect(idsIn(rankings)).toEqual([])
      expect(kinds(rankings)).toEqual(kinds(await retrieve('weak evidence')))
    })

    test('a namespace never returns passages of another one, even with the same id', async () => {
      const other = `${namespace}-other`
      await tested.index.upsert(other, [{ id: 'gate-1', documentId: 'theirs', text: 'The gate of another tenant.' }])
      await tested.index.settle(other)
      const theirs = await retrieve('gate refuses weak evidence', { namespace: other })
      const ours = await retrieve('gate refuses weak evidence')
      for (const { entries } of theirs) expect(entries.map(({ passage }) => passage.documentId)).toEqual(['theirs'])
      for (const { entries } of ours) {
        expect(entries.map(({ passage }) => passage.documentId)).not.toContain('theirs')
      }
      await tested.index.delete(other, ['gate-1'])
      await tested.index.settle(other)
      expect(await tested.index.fetch(namespace, ['gate-1'])).toEqual([PASSAGES[0]])
    })

    test.each<[string, PassageFilter, string[]]>([
      ['one value', { documentId: 'cache' }, ['cache-1']],
      ['a list of values', { documentId: ['log', 'nowhere'] }, ['log-1', 'log-2']],
      ['two fields', { documentId: ['gate', 'log'], section: 'Gate › Refusals' }, ['gate-1']],
      ['a field that few passages have', { version: '3' }, ['gate-1']],
      ['a value that none has', { documentId: 'nowhere' }, []],
    ])('a filter by %s is applied before the topK are taken', async (_name, filter, ids) => {
      const question = 'gate refuses weak evidence, strong answers cache, decision log policy'
      const rankings = await retrieve(question, { filter, topK: Math.max(1, ids.length) })
      for (const { entries } of rankings) {
        expect(entries.map(({ passage }) => passage.id).sort()).toEqual(ids)
      }
    })

    test('a filter by metadata is applied, or rejected as unsupported', async () => {
      const filtered = retrieve('gate cache log', { filter: { 'metadata.team': 'edge' } })
      const found = await filtered.catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'retriever_misconfigured' })
      })
      for (const { entries } of found ?? []) expect(entries.map(({ passage }) => passage.id)).toEqual(['gate-1'])
    })

    test('a replaced or deleted passage is not found any more', async () => {
      await tested.index.upsert(namespace, [{ id: 'gate-1', documentId: 'gate', text: 'Nothing to see here.' }])
      await tested.index.delete(namespace, ['cache-1', 'unknown'])
      await tested.index.settle(namespace)
      const texts = (await retrieve('weak evidence cache')).flatMap(({ entries }) =>
        entries.map(({ passage }) => passage.text),
      )
      expect(texts).not.toContain(PASSAGES[0]!.text)
      expect(texts).not.toContain(PASSAGES[1]!.text)
    })

    test('reads passages by id in the given order, with null for an unknown one', async () => {
      const read = await tested.index.fetch(namespace, ['log-2', 'unknown', 'gate-1'])
      expect(read).toEqual([PASSAGES[3], null, PASSAGES[0]])
    })

    test('names its embedding model and dimension', async () => {
      const { embeddingModel, dimension } = await tested.index.describe()
      expect(embeddingModel).not.toBe('')
      expect(dimension).toBeGreaterThanOrEqual(0)
    })

    test.each([
      ['without words', '?!…'],
      ['of one emoji', '🦀'],
      ['that looks like SQL', "' OR 1=1 --"],
      ['of one very long word', 'a'.repeat(4000)],
    ])('accepts a question %s', async (_name, question) => {
      await expect(retrieve(question)).resolves.toBeInstanceOf(Array)
    })

    test('a search aborted before it begins fails as a timeout', async () => {
      await expect(retrieve('weak evidence', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'retriever_timeout',
      })
    })

    test('a search aborted while it runs fails as a timeout', async () => {
      const controller = new AbortController()
      const search = retrieve('weak evidence', { signal: controller.signal })
      controller.abort()
      await expect(search).rejects.toMatchObject({ code: 'retriever_timeout' })
    })
  })
}
