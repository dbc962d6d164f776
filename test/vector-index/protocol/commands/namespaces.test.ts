import { beforeEach, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../../test-index.ts'

let tested: TestIndex

beforeEach(() => {
  tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  for (const name of ['one', 'two']) tested.resultOf(`upsert/${name}`, { id: name, vector: [1, 0] })
})

test('random returns a row of the namespace, and null from an empty one', () => {
  tested.resultOf(
    'upsert/one',
    [1, 2].map((id) => ({ id, vector: [0, id], metadata: { id }, data: 'x' })),
  )
  const drawn = Array.from({ length: 100 }, () => tested.resultOf('random/one', undefined, 'GET'))
  for (const id of [1, 2]) expect(drawn).toContainEqual({ id: `${id}`, vector: [0, id] })
  expect(new Set(drawn.map((row) => (row as { id: string }).id))).toEqual(new Set(['one', '1', '2']))
  expect(tested.resultOf('random', undefined, 'GET')).toBeNull()
  expect(tested.resultOf('random/nowhere', [])).toBeNull()
})

test('pages start again after a reset', () => {
  const rows = Array.from({ length: 20 }, (_, at) => ({ id: `r${at}`, vector: [at, 1] }))
  for (let round = 0; round < 2; round++) {
    tested.resultOf('upsert', rows)
    const first = tested.resultOf('range', { cursor: 0, limit: 5 }) as { nextCursor: string }
    expect(first).toMatchObject({ vectors: [{ id: 'r0' }, {}, {}, {}, {}] })
    expect(tested.resultOf('range', { cursor: first.nextCursor, limit: 15 })).toMatchObject({
      nextCursor: '',
      vectors: [{ id: 'r5' }, ...Array.from({ length: 14 }, () => ({}))],
    })
    tested.resultOf('reset', [])
  }
  for (const all of ['all', 'all=', 'all=true']) {
    tested.resultOf('upsert/one', rows)
    expect(tested.resultOf(`reset?${all}`, [])).toBe('Success')
    expect(tested.resultOf('info')).toMatchObject({ vectorCount: 0 })
  }
})

test.each([
  ['upsert/a%00b', '422 namespace is not valid Unicode text'],
  [`upsert/${'x'.repeat(1025)}`, '422 namespace is longer than 1024 characters'],
])('a namespace name that cannot be stored is rejected', (path, message) => {
  expect(tested.failureOf(path, { id: 'a', vector: [1, 0] })).toBe(message)
})

test('pages contain every row once when read rows are deleted meanwhile', () => {
  tested.resultOf(
    'upsert/drained',
    Array.from({ length: 20 }, (_, at) => ({ id: `r${at}`, vector: [at, 1] })),
  )
  const read: string[] = []
  for (let cursor: string | undefined = '0'; cursor !== undefined && cursor !== '';) {
    const page = tested.resultOf('range/drained', { cursor, limit: 3 }) as {
      nextCursor: string
      vectors: { id: string }[]
    }
    const ids = page.vectors.map(({ id }) => id)
    read.push(...ids)
    tested.resultOf('delete/drained', ids)
    cursor = page.nextCursor
  }
  expect(read).toEqual(Array.from({ length: 20 }, (_, at) => `r${at}`))
})
