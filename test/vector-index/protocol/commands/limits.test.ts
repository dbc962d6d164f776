/** Every limit that holds in all plans: what is just within it is taken, what is just beyond is refused with its text. */
import { expect, test } from 'vitest'
import { testIndex, type TestIndex } from '../../test-index.ts'

const many = (length: number): number[] => Array.from({ length }, (_, at) => at)
const sparse = (dimensions: number) => ({ indices: many(dimensions), values: many(dimensions).map(() => 1) })
const row = (others: object = {}) => ({ id: 'a', vector: [1, 2], sparseVector: sparse(1), ...others })
const query = (others: object = {}) => ({ vector: [1, 2], topK: 1, ...others })

/** A text of so many bytes of UTF-8. */
const text = (bytes: number): string => 'é'.repeat(Math.floor(bytes / 2)) + 'x'.repeat(bytes % 2)
/** Metadata of so many bytes as JSON. */
const metadata = (bytes: number) => ({ m: 'x'.repeat(bytes - '{"m":""}'.length) })
const nested = (levels: number): object => (levels === 1 ? { a: 1 } : { a: nested(levels - 1) })

/** The name of the limit, the command, a body for a size, the largest size, and the error beyond it. */
const LIMITS: readonly (readonly [string, string, (size: number) => unknown, number, string])[] = [
  ['items', 'upsert', (n) => many(n).map((id) => row({ id })), 1000, 'Between 1 and 1000 items must be given'],
  ['questions', 'query', (n) => many(n).map(() => query()), 1000, 'Between 1 and 1000 items must be given'],
  ['ids to fetch', 'fetch', (n) => ({ ids: many(n) }), 1000, 'At most 1000 ids can be given'],
  ['ids to delete', 'delete', (n) => ({ ids: many(n) }), 1000, 'At most 1000 ids can be given'],
  ['a page', 'range', (n) => ({ cursor: 0, limit: n }), 1000, 'limit must be a whole number between 1 and 1000'],
  ['topK', 'query', (n) => query({ topK: n }), 1000, 'topK must be a whole number between 1 and 1000'],
  [
    'idle seconds',
    'resumable-query',
    (n) => query({ maxIdle: n }),
    604_800,
    'maxIdle must be a whole number between 1 and 604800',
  ],
  ['an id', 'upsert', (n) => row({ id: 'i'.repeat(n) }), 1024, 'id is longer than 1024 characters'],
  ['data', 'upsert', (n) => row({ data: text(n) }), 1_048_576, 'data is longer than 1048576 bytes'],
  ['metadata', 'upsert', (n) => row({ metadata: metadata(n) }), 49_152, 'metadata is larger than 49152 bytes'],
  ['levels of metadata', 'upsert', (n) => row({ metadata: nested(n) }), 32, 'metadata is nested too deeply'],
  [
    'dimensions of a sparse vector',
    'upsert',
    (n) => row({ sparseVector: sparse(n) }),
    1000,
    'sparseVector must have between 1 and 1000 dimensions',
  ],
  [
    'an index of a sparse vector',
    'upsert',
    (n) => row({ sparseVector: { indices: [n], values: [1] } }),
    2 ** 31 - 1,
    'sparseVector.indices must be signed 32-bit integers',
  ],
]

const opened = (): TestIndex => testIndex({ indexType: 'HYBRID', dimension: 2 })

test.each(LIMITS)('the limit of %s is exact', (_name, command, body, largest, message) => {
  const tested = opened()
  tested.resultOf(command, body(largest))
  expect(tested.failureOf(command, body(largest + 1))).toBe(`422 ${message}`)
})

test('the number of distinct terms of a text is limited', () => {
  const tested = testIndex({ indexType: 'DENSE', embeddingModel: 'BGE_SMALL_EN_V1_5' })
  const terms = (count: number) => ({
    id: 'a',
    data: many(count)
      .map((at) => `w${at}`)
      .join(' '),
  })
  tested.resultOf('upsert-data', terms(32_768))
  expect(tested.failureOf('upsert-data', terms(32_769))).toBe('422 data has more than 32768 distinct terms')
})
