import { expect, test } from 'vitest'
import { MetadataColumns, PAGE_ROWS } from '../../../src/embedded/filter/metadata-columns.ts'

const path = (key: string) => [{ key }]

function counted(texts: readonly (string | null)[]) {
  const read: string[] = []
  return { read, from: (field: string) => (read.push(field), texts) }
}

test('a field is read once, and again only after a write to its page', () => {
  const columns = new MetadataColumns()
  const { read, from } = counted(['"x"', null, '[1,null]', 'null'])
  const column = (number: number, key: string) => columns.column(number, path(key), from, 1e6)
  expect(column(0, 'a')).toEqual(['x', undefined, [1, null], null])
  column(1, 'a')
  column(0, 'b')
  column(0, 'a')
  expect(read).toEqual(['$."a"', '$."a"', '$."b"'])
  columns.forget(PAGE_ROWS - 1)
  column(1, 'a')
  expect(read).toHaveLength(3)
  column(0, 'a')
  column(0, 'b')
  expect(read).toHaveLength(5)
})

test('the pages read first leave when all are too large, and what is left stays counted', () => {
  const columns = new MetadataColumns()
  const { read, from } = counted([`"${'x'.repeat(90)}"`])
  const column = (number: number) => columns.column(number, path('a'), from, 250)
  for (const number of [0, 1, 2]) column(number)
  column(1)
  column(2)
  expect(read).toHaveLength(3)
  column(0)
  expect(read).toHaveLength(4)
  column(1)
  expect(read).toHaveLength(5)
})

test('a page that is larger than all that may be kept is given, and not kept', () => {
  const columns = new MetadataColumns()
  const { read, from } = counted(['"x"'])
  for (let times = 0; times < 3; times++) expect(columns.column(0, path('a'), from, 0)).toEqual(['x'])
  expect(read).toHaveLength(3)
})
