import { describe, expect, test } from 'vitest'
import { createRetriever, type FoundRow, type Search } from '../../packages/upstream/src/custom-retriever.ts'
import { retrieverContract } from '../contracts/retriever.ts'
import { wordSearch } from '../fixtures/word-search.ts'

retrieverContract('a function as a retriever', async () => {
  const { index, search } = wordSearch()
  const later: Search = async ({ namespace, question, filter }) => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    return search(namespace, question, filter)
  }
  return { index, retriever: createRetriever(later, { scoreKind: 'convex' }) }
})

const retrieve = (search: Search, topK = 3) =>
  createRetriever(search, { scoreKind: 'cosine' }).retrieve({
    tenant: 'acme',
    collection: 'docs',
    namespace: 'n1',
    question: 'why?',
    topK,
    signal: new AbortController().signal,
  })

const row = (id: string, score: unknown, more: object = {}): FoundRow =>
  // Wrong on purpose in some tests: a function in JavaScript may return anything.
  ({ id, text: `text of ${id}`, score, ...more }) as FoundRow

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

describe('rows returned by a function', () => {
  test('are sorted, freed of duplicates and cut to topK', async () => {
    const [ranking] = await retrieve(() => [row('a', 0.1), row('b', 0.9), row('b', 0.8), row('c', 0.5)], 2)
    expect(ranking!.kind).toBe('cosine')
    expect(ranking!.entries.map(({ passage, score }) => [passage.id, score])).toEqual([
      ['b', 0.9],
      ['c', 0.5],
    ])
  })

  test('keep only the fields of a passage', async () => {
    const [ranking] = await retrieve(() => [row('a', 1, { title: 'T', documentId: 'd', rank: 7 })])
    expect(ranking!.entries[0]!.passage).toEqual({ id: 'a', text: 'text of a', title: 'T', documentId: 'd' })
  })

  test('may be numbered, as may their documents and versions', async () => {
    const [ranking] = await retrieve(() => [{ id: 7, documentId: 12, version: 3, text: 'x', score: 0.5 }])
    expect(ranking!.entries[0]!.passage).toEqual({ id: '7', documentId: '12', version: '3', text: 'x' })
  })

  test.each([null, '0.9', 1.5, Number.NaN, Infinity])('with a score of %s are passed on as NaN', async (score) => {
    expect((await retrieve(() => [row('a', score)]))[0]!.entries[0]!.score).toBeNaN()
  })

  test.each<[string, unknown]>([
    ['a row with a cycle', [{ id: 'a', text: 'x', score: 1, metadata: cycle }]],
    [
      'a row that cannot be read',
      [
        {
          id: 'a',
          score: 1,
          get text() {
            throw new Error('secret')
          },
        },
      ],
    ],
    ['no list', {}],
    ['nothing', undefined],
    ['rows that are null', [null]],
    ['a row without text', [{ id: 'a', score: 1 }]],
    ['a row of another namespace', [row('a', 1, { namespace: 'n2' })]],
    ['a row without a number', [{ id: Number.NaN, text: 'x', score: 1 }]],
    ['a row whose number was rounded', [{ id: 2 ** 53, text: 'x', score: 1 }]],
  ])('that are %s are rejected', async (_name, rows) => {
    await expect(retrieve(() => rows as FoundRow[])).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })

  test('are an error when the function throws, at once or later', async () => {
    const now = retrieve(() => {
      throw new Error('secret')
    })
    await expect(now).rejects.toMatchObject({ code: 'retriever_unavailable', message: 'The search failed' })
    await expect(retrieve(() => Promise.reject(new Error('x')))).rejects.toMatchObject({
      code: 'retriever_unavailable',
    })
  })
})
