import { describe, expect, test, vi } from 'vitest'
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

  test('may have empty fields, as rows of a database have, and the largest exact number', async () => {
    const given = row('a', 1, { documentId: null, title: null, version: null, metadata: null, namespace: null })
    const [ranking] = await retrieve(() => [{ ...given, id: Number.MAX_SAFE_INTEGER }])
    const id = '9007199254740991'
    expect(ranking!.entries[0]!.passage).toEqual({ id, documentId: id, text: 'text of a' })
  })

  test.each([null, '0.9', 1.5, Number.NaN, Infinity])('with a score of %s are passed on as NaN', async (score) => {
    expect((await retrieve(() => [row('a', score)]))[0]!.entries[0]!.score).toBeNaN()
  })

  test.each<[string, unknown, string]>([
    ['a row with a cycle', [{ id: 'a', text: 'x', score: 1, metadata: cycle }], 'The rows cannot be read'],
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
      'The rows cannot be read',
    ],
    ['no list', {}, 'The search returned an unexpected result: not a list'],
    ['nothing', undefined, 'The search returned an unexpected result: not a list'],
    ['rows that are null', [null], 'The search returned an unexpected result: not a row'],
    ['a row without text', [{ id: 'a', score: 1 }], 'The index sent an unexpected response: a row without text'],
    [
      'a row of another namespace',
      [row('a', 1, { namespace: 'n2' })],
      'The search returned an unexpected result: a row of another namespace',
    ],
    [
      'a row without a number',
      [{ id: Number.NaN, text: 'x', score: 1 }],
      'The index sent an unexpected response: a row without id',
    ],
    [
      'a row whose number was rounded',
      [{ id: 2 ** 53, text: 'x', score: 1 }],
      'The index sent an unexpected response: a row without id',
    ],
  ])('that are %s are rejected', async (_name, rows, message) => {
    await expect(retrieve(() => rows as FoundRow[])).rejects.toMatchObject({ code: 'retriever_bad_response', message })
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

describe('a function that does not end', () => {
  const asked = { tenant: 'acme', collection: 'docs', namespace: 'n1', question: 'why?', topK: 3 }
  const late = { code: 'retriever_timeout', message: 'The search did not end in time' }

  test('is left when the request is aborted, and not called afterwards', async () => {
    const search = vi.fn<Search>(() => new Promise(() => undefined))
    const controller = new AbortController()
    const { signal } = controller
    const found = createRetriever(search, { scoreKind: 'cosine' }).retrieve({ ...asked, signal })
    controller.abort()
    await expect(found).rejects.toMatchObject(late)
    expect(search).toHaveBeenCalledTimes(1)
    const again = createRetriever(search, { scoreKind: 'cosine' }).retrieve({ ...asked, signal })
    await expect(again).rejects.toMatchObject(late)
    expect(search).toHaveBeenCalledTimes(1)
  })

  test('no longer listens to the signal once it has ended', async () => {
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    await createRetriever(() => [row('a', 1)], { scoreKind: 'cosine' }).retrieve({ ...asked, signal })
    expect(removed.mock.calls).toEqual(added.mock.calls)
    expect(added).toHaveBeenCalledTimes(1)
  })
})
