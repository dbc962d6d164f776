import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, ROOT } from './pages.ts'

const MAP = read('docs/internal/requirements.md')
const ROWS = [...MAP.matchAll(/^\| (R\d{3}) \|[^|]*\| (.*)$/gm)].map(([, id = '', where = '']) => ({
  id,
  isDone: !where.startsWith('`part`: '),
  where,
}))

test('every requirement has one row, in order', () => {
  const ids = Array.from({ length: 157 }, (_, at) => `R${String(at + 1).padStart(3, '0')}`)
  expect(ROWS.map(({ id }) => id)).toEqual(ids)
})

test('the map counts its rows correctly, and names what is missing from partial ones', () => {
  const parts = ROWS.filter(({ isDone }) => !isDone)
  expect(MAP).toContain(`${ROWS.length - parts.length} rows are done, ${parts.length} in part.`)
  for (const { where } of parts) expect(where).toContain('. Missing: ')
})

/** Paths that a row names, from the root. */
function filesOf(where: string): string[] {
  return [...where.matchAll(/`((?:src|packages|test|workers|d1|bench|scripts)\/[^`]+\.\w+)`/g)].map(([, file = '']) => file)
}

test('the files named in rows exist', () => {
  const gone = ROWS.flatMap(({ id, where }) =>
    filesOf(where).flatMap((file) => (existsSync(join(ROOT, file)) ? [] : [`${id}: ${file}`])),
  )
  expect(gone).toEqual([])
})

test('every row names a file or a page', () => {
  const named = /`(?:src|packages|test|workers|d1|bench)\/[^`]+`|\]\([^)]+\.md/
  expect(ROWS.filter(({ where }) => !named.test(where)).map(({ id }) => id)).toEqual([])
})

/** The rows whose examples a test of a document runs: `(R017)`, or `(R055-R058, R061)`, in the names of its tests. */
function rowsRunBy(file: string): Set<string> {
  const named = [...read(file).matchAll(/\((R\d{3}(?:(?:-|, )R\d{3})*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  const rows = named.flatMap((range) => {
    const [from = 0, to = from] = [...range.matchAll(/\d{3}/g)].map(([number]) => Number(number))
    return Array.from({ length: to - from + 1 }, (_, at) => `R${String(from + at).padStart(3, '0')}`)
  })
  return new Set(rows)
}

/** Rows of each document, from the first to the last. */
const DOCUMENTS = { '000': [1, 42], '001': [43, 88], '002': [89, 109], '003': [110, 126], '004': [127, 157] } as const

test("a test runs the document's example for each finished row, except two times, which have a bench", () => {
  const files = [...Object.keys(DOCUMENTS).map((document) => `${document}.test.ts`), 'running.workerd.ts']
  const run = new Set(files.flatMap((name) => [...rowsRunBy(`test/documents/${name}`)]))
  const others = ROWS.filter(({ id, isDone }) => isDone && !run.has(id))
  expect(others.map(({ id }) => id)).toEqual(['R073', 'R102'])
  for (const { where } of others) expect(where).toContain('bench/')
})

test.each(Object.entries(DOCUMENTS))('the tests of document %s run only its own rows', (document, [first, last]) => {
  const numbers = [...rowsRunBy(`test/documents/${document}.test.ts`)].map((id) => Number(id.slice(1)))
  expect(numbers.length).toBeGreaterThan(10)
  expect(numbers.filter((number) => number < first || number > last)).toEqual([])
})
