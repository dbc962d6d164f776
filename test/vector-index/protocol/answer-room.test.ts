import { describe, expect, test } from 'vitest'
import { AnswerRoom } from '../../../packages/vector-index/src/protocol/answer-room.ts'
import { LIMITS } from '../../../packages/vector-index/src/limits.ts'
import type { IndexStorage, SqlRow, SqlValue } from '../../../packages/vector-index/src/store/schema.ts'
import { VectorStore } from '../../../packages/vector-index/src/store/store.ts'
import { sqliteStorage } from '../sqlite-storage.ts'
import { testIndex, type TestIndex } from '../test-index.ts'

const TOO_LARGE = '422 The answer is larger than 16777216 bytes: ask for fewer rows, or for less of them'
const MEGABYTE = 'é'.repeat(LIMITS.dataBytes / 2)

/** An index with rows of one megabyte. Sixteen with their ids do not fit in an answer. */
function largeRows(count: number): TestIndex {
  const index = testIndex({ indexType: 'DENSE', dimension: 2 })
  for (let at = 0; at < count; at++) index.resultOf('upsert', { id: `r${at}`, vector: [1, at], data: MEGABYTE })
  return index
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `r${at}`)

interface Page {
  readonly nextCursor: string
  readonly vectors: readonly { readonly id: string }[]
}

describe('a response that would be too large', () => {
  const index = largeRows(20)

  test('is a shorter page of a range, which continues from its cursor', () => {
    const seen: string[] = []
    const lengths: number[] = []
    let cursor = ''
    do {
      const page = index.resultOf('range', { cursor, limit: 1000, includeData: true }) as Page
      seen.push(...page.vectors.map(({ id }) => id))
      lengths.push(page.vectors.length)
      cursor = page.nextCursor
    } while (cursor !== '')
    expect(seen).toEqual(ids(20))
    expect(lengths).toEqual([15, 5])
    expect(index.resultOf('range', { cursor: '', limit: 1000 })).toMatchObject({ nextCursor: '' })
  })

  test.each([
    ['fetch', { ids: ids(16) }],
    ['fetch', { ids: Array.from({ length: 16 }, () => 'r0') }],
    ['fetch', { prefix: 'r' }],
    ['query', { vector: [1, 1], topK: 16 }],
    ['query', Array.from({ length: 16 }, () => ({ vector: [1, 1], topK: 1, includeData: true }))],
    ['resumable-query', { vector: [1, 1], topK: 16 }],
  ])('is rejected by %s (%#)', (command, body) => {
    expect(index.failureOf(command, Array.isArray(body) ? body : { ...body, includeData: true })).toBe(TOO_LARGE)
  })

  test.each([
    ['fetch', { ids: ids(15), includeData: true }],
    ['fetch', { ids: ids(20) }],
    ['query', { vector: [1, 1], topK: 15, includeData: true }],
    ['query', { vector: [1, 1], topK: 20 }],
  ])('is accepted when fewer rows or fields are requested: %s (%#)', (command, body) => {
    expect(index.resultOf(command, body)).toBeInstanceOf(Array)
  })

  test('leaves no resumable query behind', () => {
    const { sql } = index.index.storage('')
    expect(sql.exec('SELECT count(*) AS n FROM resumable_queries').toArray()).toEqual([{ n: 0 }])
  })
})

test('rows are read from storage only as far as they are returned', () => {
  let read = 0
  const storage = sqliteStorage()
  const counting: IndexStorage = {
    ...storage,
    sql: {
      databaseSize: 0,
      exec<Row extends SqlRow>(query: string, ...bindings: SqlValue[]) {
        const rows = storage.sql.exec<Row>(query, ...bindings).toArray()
        if (!query.startsWith('SELECT position, id, json(metadata)'))
          return { toArray: () => rows, [Symbol.iterator]: () => rows.values() }
        return {
          toArray: () => expect.unreachable('collected'),
          *[Symbol.iterator]() {
            for (const row of rows) {
              read++
              yield row
            }
          },
        }
      },
    },
  }
  const store = new VectorStore(storage)
  const sparse = { indices: Int32Array.of(0), values: Float32Array.of(1) }
  store.upsert(
    '',
    ids(10).map((id) => ({ id, dense: Float32Array.of(1), sparse })),
  )
  const reading = new VectorStore(counting)
  for (const row of reading.range(2, 8, '')) if (row.id === 'r3') break
  for (const row of reading.withIds(ids(10))) if (row.id !== '') break
  for (const { position } of reading.at([1, 2, 3])) if (position > 0) break
  expect(read).toBe(4)
})

test('size is counted in bytes of JSON', () => {
  const room = new AnswerRoom()
  // Each takes a fifth; what stands around them fits as well.
  const share = LIMITS.answerBytes / 5 - 200
  const kinds = [
    ['x', 1],
    ['é', 2],
    ['字', 3],
    ['😀', 4],
    ['\n', 2],
  ] as const
  for (const [character, bytes] of kinds) room.take({ id: 'a', data: character.repeat(share / bytes) })
  expect(room.has({ id: 'a', data: 'x' })).toBe(true)
  expect(room.has({ id: 'a', data: 'x'.repeat(500) })).toBe(false)
})
