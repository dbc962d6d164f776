import { beforeEach, describe, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../../test-index.ts'

let tested: TestIndex

const start = (body: object, path = 'resumable-query/ns') => {
  const { uuid, scores } = tested.resultOf(path, body) as { uuid: string; scores: { id: string }[] }
  return { uuid, ids: scores.map(({ id }) => id) }
}

const next = (uuid: string, additionalK: number): string[] =>
  (tested.resultOf('resumable-query-next', { uuid, additionalK }) as { id: string }[]).map(({ id }) => id)

beforeEach(() => {
  tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  tested.resultOf(
    'upsert/ns',
    [0.2, 0.4, 0.6, 0.8, 1].map((y, at) => ({ id: `id${at + 1}`, vector: [1, y], metadata: { at } })),
  )
})

const query = { vector: [1, 0.2], topK: 2 }

test('continues where it stopped, to the end and no further', () => {
  const { uuid, ids } = start(query)
  expect(ids).toEqual(['id1', 'id2'])
  expect(next(uuid, 2)).toEqual(['id3', 'id4'])
  expect(next(uuid, 5)).toEqual(['id5'])
  expect(next(uuid, 1)).toEqual([])
  expect(tested.resultOf('resumable-query-end', { uuid })).toBe('Success')
  expect(tested.failureOf('resumable-query-next', { uuid, additionalK: 1 })).toContain('404 Resumable query')
  expect(tested.failureOf('resumable-query-end', { uuid })).toContain('404 Resumable query')
})

test('keeps the requested fields', () => {
  const { uuid } = start({ ...query, includeMetadata: true })
  expect(tested.resultOf('resumable-query-next', { uuid, additionalK: 1 })).toEqual([
    { id: 'id3', score: expect.any(Number), metadata: { at: 2 } },
  ])
})

test('continues after the index lost its memory', () => {
  const { uuid } = start(query)
  tested.restart()
  expect(next(uuid, 2)).toEqual(['id3', 'id4'])
  tested.restart()
  expect(next(uuid, 2)).toEqual(['id5'])
})

test('sees rows written meanwhile, and never the same id twice', () => {
  const { uuid } = start(query)
  tested.resultOf('upsert/ns', [
    { id: 'new', vector: [1, 0.2] },
    { id: 'id1', vector: [1, 0.21] },
  ])
  tested.resultOf('delete/ns', ['id3'])
  expect(next(uuid, 9)).toEqual(['new', 'id4', 'id5'])
})

test('two queries do not affect each other', () => {
  const [one, other] = [start(query), start(query)]
  expect(one.uuid).not.toBe(other.uuid)
  expect(next(one.uuid, 1)).toEqual(['id3'])
  tested.resultOf('resumable-query-end', { uuid: one.uuid })
  expect(next(other.uuid, 1)).toEqual(['id3'])
})

test('goes on after a reset, also of a namespace without rows', () => {
  for (const [at, namespace] of ['ns', 'new'].entries()) {
    const { uuid } = start(query, `resumable-query/${namespace}`)
    tested.resultOf(`reset/${namespace}`, [])
    tested.resultOf(`upsert/${namespace}`, { id: 'late', vector: [1, at] })
    expect(next(uuid, 1)).toEqual(['late'])
  }
})

test('a query ends with its namespace', () => {
  const { uuid } = start(query)
  tested.resultOf('delete-namespace/ns', [])
  expect(tested.failureOf('resumable-query-next', { uuid, additionalK: 1 })).toContain('404')
})

describe('idleness', () => {
  test('of an hour ends it, counted from the last request', () => {
    const { uuid } = start(query)
    tested.clock.nowMs += 3_599_999
    expect(next(uuid, 1)).toEqual(['id3'])
    tested.clock.nowMs += 3_599_999
    expect(next(uuid, 1)).toEqual(['id4'])
    tested.clock.nowMs += 3_600_000
    expect(tested.failureOf('resumable-query-next', { uuid, additionalK: 1 })).toContain('404')
    expect(tested.index.storage('ns').sql.exec('SELECT * FROM resumable_returned').toArray()).toEqual([])
  })

  test('can be set in seconds', () => {
    const { uuid } = start({ ...query, maxIdle: 5 })
    tested.clock.nowMs += 5000
    expect(tested.failureOf('resumable-query-end', { uuid })).toContain('404')
  })
})

test('at most a thousand are active, until one ends or is idle too long', () => {
  const [first] = Array.from({ length: 1000 }, () => start({ ...query, topK: 1, maxIdle: 60 }))
  expect(tested.failureOf('resumable-query/ns', query)).toBe('422 At most 1000 resumable queries can be active')
  tested.resultOf('resumable-query-end', { uuid: first!.uuid })
  start({ ...query, maxIdle: 60 })
  expect(tested.failureOf('resumable-query/ns', query)).toContain('422')
  tested.clock.nowMs += 60_000
  expect(start(query).ids).toHaveLength(2)
})

test('a batch has between 1 and 1000 rows', () => {
  const { uuid } = start(query)
  for (const additionalK of [undefined, 0, 1001]) {
    expect(tested.failureOf('resumable-query-next', { uuid, additionalK })).toContain('422 additionalK')
  }
})

test('one whose first batch does not fit in the answer is not kept, because nobody could end it', () => {
  for (let at = 0; at < 17; at++) {
    tested.resultOf('upsert/ns', { id: `large${at}`, vector: [1, 1], data: 'x'.repeat(1_048_576) })
  }
  expect(tested.failureOf('resumable-query/ns', { ...query, topK: 99, includeData: true })).toContain('422 The answer')
  expect(tested.index.storage('ns').sql.exec('SELECT * FROM resumable_queries').toArray()).toEqual([])
})

test('queries by text', () => {
  tested = testIndex()
  tested.resultOf('upsert-data', [
    { id: 'a', data: 'edge cache' },
    { id: 'b', data: 'edge gate' },
  ])
  const { uuid, ids } = start({ data: 'cache', topK: 1 }, 'resumable-query-data')
  expect([...ids, ...next(uuid, 5)]).toEqual(['a', 'b'])
})

const DEEP = Array.from({ length: 20_000 }).reduce((within) => [within], 0)

test.each([
  ['resumable-query', [query], '422 The body must be an object'],
  ['resumable-query', { ...query, maxIdle: 0 }, '422 maxIdle'],
  ['resumable-query', { ...query, topK: 0 }, '422 topK'],
  ['resumable-query', { ...query, vector: [1] }, '422 Invalid vector dimension'],
  ['resumable-query', { ...query, note: DEEP }, '422 A resumable query is nested too deeply'],
  ['resumable-query', { ...query, note: 'x'.repeat(1_500_000) }, '422 A resumable query is longer than 1500000 bytes'],
  ['resumable-query-next', { additionalK: 1 }, '422 uuid is required'],
  ['resumable-query-end', {}, '422 uuid is required'],
  ['resumable-query-end', { uuid: '' }, '422 uuid is required'],
])('/%s rejects %#', (path, body, message) => {
  expect(tested.failureOf(path, body)).toContain(message)
})
