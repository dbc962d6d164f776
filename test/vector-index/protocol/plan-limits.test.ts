import { describe, expect, test } from 'vitest'
import { testIndex } from '../test-index.ts'

const DENSE = { indexType: 'DENSE', dimension: 2 }
const row = (id: number | string) => ({ id, vector: [1, 2] })

describe('the dimension', () => {
  test.each([
    ['free', 1536],
    ['payg', 3072],
    ['pro', 5000],
    ['off', 5376],
  ])('of the plan %s is at most %i', (planLimits, dimension) => {
    testIndex({ indexType: 'DENSE', dimension, planLimits })
    if (planLimits === 'off') return
    expect(() => testIndex({ indexType: 'DENSE', dimension: dimension + 1, planLimits })).toThrow(`allows ${dimension}`)
  })
})

test('a free index has 100 namespaces', () => {
  const tested = testIndex({ ...DENSE, planLimits: 'free' })
  for (let at = 1; at < 100; at++) tested.resultOf(`upsert/n${at}`, row(1))
  expect(tested.failureOf('upsert/one-more', row(1))).toBe(
    '422 Exceeded the limit of the plan: namespaces 101, limit 100',
  )
  expect(tested.resultOf('upsert/n99', row(2))).toBe('Success')
  tested.restart({ ...DENSE, planLimits: 'payg' })
  expect(tested.resultOf('upsert/one-more', row(1))).toBe('Success')
})

test('a free index holds 200 million vectors times dimension, however they are spread', () => {
  const tested = testIndex({ ...DENSE, planLimits: 'free' })
  tested.resultOf('upsert', [row(1), row(2)])
  // Counts stand in their own column; filling the index for real would take an hour.
  expect(tested.resultOf('upsert/other', [row(1)])).toBe('Success')
  tested.storage.sql.exec(`UPDATE namespaces SET vector_count = ${100_000_000 - 2} WHERE name = 'other'`)
  expect(tested.resultOf('upsert', [row(1), row(2)])).toBe('Success')
  expect(tested.failureOf('upsert', [row(1), row(3)])).toBe(
    '422 Exceeded the limit of the plan: vectors × dimension 200000002, limit 200000000',
  )
  // Of an index that became too large under another plan, vectors can still be replaced.
  tested.storage.sql.exec(`UPDATE namespaces SET vector_count = 200000000 WHERE name = ''`)
  expect(tested.resultOf('upsert', [row(1), row(2)])).toBe('Success')
})

test('a free index answers 10,000 queries and takes 10,000 updates in a day of UTC', () => {
  const tested = testIndex({ ...DENSE, planLimits: 'free' })
  tested.resultOf('upsert', row(1))
  const query = { vector: [1, 2], topK: 1 }
  tested.resultOf('query', query)
  tested.storage.sql.exec('UPDATE daily_use SET queries = 9999, updates = 10000')
  expect(tested.resultOf('query', query)).toHaveLength(1)
  const full = '429 Exceeded the limit of the plan: queries on 2026-01-01 10001, limit 10000'
  expect(tested.failureOf('query', query)).toBe(full)
  tested.restart()
  expect(tested.failureOf('fetch', { ids: ['1'] })).toContain('429')
  expect(tested.failureOf('upsert', row(2))).toContain('updates on 2026-01-01 10001, limit 10000')
  expect(tested.resultOf('info')).toMatchObject({ vectorCount: 1 })
  tested.clock.nowMs += 24 * 60 * 60 * 1000
  expect(tested.resultOf('query', query)).toHaveLength(1)
  expect(tested.resultOf('upsert', row(2))).toBe('Success')
  expect(tested.storage.sql.exec('SELECT * FROM daily_use').toArray()).toEqual([
    { day: '2026-01-02', queries: 1, updates: 1 },
  ])
})

test('a free index stores a gigabyte', () => {
  const tested = testIndex({ ...DENSE, planLimits: 'free' })
  Object.defineProperty(tested.storage.sql, 'databaseSize', { value: 1024 ** 3 + 1 })
  expect(tested.failureOf('upsert', row(1))).toBe(
    '422 Exceeded the limit of the plan: stored bytes 1073741825, limit 1073741824',
  )
})

test.each(['off', 'payg'])('the plan %s counts no days', (planLimits) => {
  const tested = testIndex({ ...DENSE, planLimits })
  tested.resultOf('upsert', row(1))
  expect(tested.storage.sql.exec('SELECT * FROM daily_use').toArray()).toEqual([])
})

test('the day counts vectors and queries, not requests', () => {
  const tested = testIndex({ ...DENSE, planLimits: 'free' })
  const used = () => tested.storage.sql.exec('SELECT queries, updates FROM daily_use').toArray()[0]
  tested.resultOf('upsert', [row(1), row(2), row(3)])
  tested.resultOf('query', [{ vector: [1, 2] }, { vector: [2, 1] }])
  tested.resultOf('fetch', { ids: ['1', '2'] })
  tested.resultOf('delete', ['1', '2'])
  tested.resultOf('delete', '3')
  expect(used()).toEqual({ queries: 4, updates: 6 })
  tested.storage.sql.exec('UPDATE daily_use SET updates = 9999')
  expect(tested.failureOf('upsert', [row(1), row(2)])).toContain('updates on 2026-01-01 10001, limit 10000')
  expect(tested.resultOf('upsert', row(1))).toBe('Success')
})
