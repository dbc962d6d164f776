import { beforeEach, describe, expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../../test-index.ts'

let tested: TestIndex

beforeEach(() => {
  tested = testIndex({ indexType: 'DENSE', dimension: 2 })
  for (const name of ['one', 'two']) tested.resultOf(`upsert/${name}`, { id: name, vector: [1, 0] })
})

const rename = (namespace: string, newNamespace: string, others = {}): unknown =>
  tested.resultOf('rename-namespace', { namespace, newNamespace, ...others })
const idsIn = (namespace: string): string[] =>
  (tested.resultOf(`query/${namespace}`, { vector: [1, 0], topK: 9 }) as { id: string }[]).map(({ id }) => id)

describe('renaming a namespace', () => {
  test('takes its rows along, those in memory too', () => {
    expect(idsIn('one')).toEqual(['one'])
    expect(rename('one', 'new')).toEqual({ renamed: true })
    expect(tested.resultOf('list-namespaces')).toEqual(['', 'new', 'two'])
    expect([idsIn('one'), idsIn('new')]).toEqual([[], ['one']])
    tested.resultOf('upsert/new', { id: 'more', vector: [1, 1] })
    expect(idsIn('new')).toEqual(['one', 'more'])
    tested.restart()
    expect(idsIn('new')).toEqual(['one', 'more'])
  })

  test('replaces another one only when it is told to', () => {
    expect([idsIn('one'), idsIn('two')]).toEqual([['one'], ['two']])
    expect(rename('one', 'two')).toEqual({ renamed: false })
    expect(idsIn('two')).toEqual(['two'])
    expect(rename('one', 'two', { deleteExisting: true })).toEqual({ renamed: true })
    expect([idsIn('one'), idsIn('two')]).toEqual([[], ['one']])
    expect(tested.resultOf('info')).toMatchObject({ vectorCount: 1 })
  })

  test('replaces one that is in memory', () => {
    expect(idsIn('two')).toEqual(['two'])
    rename('one', 'two', { deleteExisting: true })
    expect(idsIn('two')).toEqual(['one'])
  })

  test('to its own name changes nothing', () => {
    expect(rename('one', 'one', { deleteExisting: true })).toEqual({ renamed: false })
    expect(idsIn('one')).toEqual(['one'])
  })

  test('never removes the default one', () => {
    expect(rename('one', '')).toEqual({ renamed: false })
    const body = { namespace: 'one', newNamespace: '', deleteExisting: true }
    expect(tested.failureOf('rename-namespace', body)).toContain('422 The default namespace')
  })

  test.each([
    [{ namespace: 'one' }, '422 newNamespace must be a string'],
    [{ namespace: 'one', newNamespace: 'x'.repeat(1025) }, '422 newNamespace is longer than 1024 characters'],
    [{ namespace: 'one', newNamespace: 'a\ud800' }, '422 newNamespace is not valid Unicode text'],
    [{ namespace: 1, newNamespace: 'b' }, '422 namespace must be a string'],
    [{ namespace: 'one', newNamespace: 'b', deleteExisting: 'yes' }, '422 deleteExisting'],
  ])('refuses %j', (body, message) => {
    expect(tested.failureOf('rename-namespace', body)).toContain(message)
  })
})

test('random draws a row of the namespace, and null from an empty one', () => {
  tested.resultOf(
    'upsert/one',
    [1, 2].map((id) => ({ id, vector: [0, id], metadata: { id }, data: 'x' })),
  )
  expect(tested.resultOf('random/one', undefined, 'GET')).toEqual({ id: '1', vector: [0, 1] })
  expect(tested.resultOf('random', undefined, 'GET')).toBeNull()
  expect(tested.resultOf('random/nowhere', [])).toBeNull()
  expect(tested.index().store.random('one', 0)?.id).toBe('one')
  expect(tested.index().store.random('one', 0.999999)?.id).toBe('2')
})

test('pages begin anew after a reset', () => {
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
])('a namespace that cannot be kept is refused', (path, message) => {
  expect(tested.failureOf(path, { id: 'a', vector: [1, 0] })).toBe(message)
})

test('pages have every row once when what was read is deleted meanwhile', () => {
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
