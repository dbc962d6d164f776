import { expect, test } from 'vitest'
import {
  MetadataColumns,
  PAGE_ROWS,
  type Metadata,
} from '../../../packages/vector-index/src/filter/metadata-columns.ts'

const path = (key: string) => [{ key }]

/** Rows of a page, and how often they were looked at. */
function counted(rows: readonly Metadata[]) {
  const counts = { read: 0 }
  const load = () => {
    counts.read += 1
    return rows
  }
  return { counts, load }
}

test('a field is taken out of metadata once, and again only after a write to its page', () => {
  const columns = new MetadataColumns()
  const { counts, load } = counted([{ a: 'x' }, undefined, { a: [1, null] }, { a: null }])
  const column = (number: number, key: string) => columns.column(number, path(key), load, 1e6)
  expect(column(0, 'a')).toEqual(['x', undefined, [1, null], null])
  column(1, 'a')
  expect(column(0, 'b')).toEqual([undefined, undefined, undefined, undefined])
  column(0, 'a')
  expect(counts.read).toBe(3)
  columns.forget(PAGE_ROWS - 1)
  column(1, 'a')
  expect(counts.read).toBe(3)
  column(0, 'a')
  column(0, 'b')
  expect(counts.read).toBe(5)
})

test.each([['x'.repeat(92)], [['x'.repeat(88)]]])('the pages read first leave when all are too large: %j', (value) => {
  const columns = new MetadataColumns()
  const { counts, load } = counted([{ a: value }])
  const column = (number: number) => columns.column(number, path('a'), load, 500)
  for (const number of [0, 1, 2]) column(number)
  column(1)
  column(2)
  expect(counts.read).toBe(3)
  column(0)
  expect(counts.read).toBe(4)
  column(1)
  expect(counts.read).toBe(5)
})

test('a page that is larger than all that may be kept is given, and not kept', () => {
  const columns = new MetadataColumns()
  const { counts, load } = counted([{ a: 'x' }])
  for (let times = 0; times < 3; times++) expect(columns.column(0, path('a'), load, 0)).toEqual(['x'])
  expect(counts.read).toBe(3)
})
