import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, ROOT } from './pages.ts'

const MAP = read('docs/internal/requirements.md')
const ROWS = [...MAP.matchAll(/^\| (R\d{3}) \|[^|]*\| `(\w+)` \|(.*)$/gm)].map(
  ([, id = '', status = '', where = '']) => ({ id, status, where }),
)

test('every requirement has its row, once and in order', () => {
  const ids = Array.from({ length: 157 }, (_, at) => `R${String(at + 1).padStart(3, '0')}`)
  expect(ROWS.map(({ id }) => id)).toEqual(ids)
})

test('the map counts its rows right', () => {
  const of = (status: string): number => ROWS.filter((row) => row.status === status).length
  expect(MAP).toContain(`${of('done')} rows are done, ${of('part')} in part, ${of('planned')} planned.`)
})

/** Paths that a row names, from the root. */
function filesOf(where: string): string[] {
  return [...where.matchAll(/`((?:src|test|workers|d1|bench|scripts)\/[^`]+\.\w+)`/g)].map(([, file = '']) => file)
}

test('the files that rows name are there', () => {
  const gone = ROWS.flatMap(({ id, where }) =>
    filesOf(where).flatMap((file) => (existsSync(join(ROOT, file)) ? [] : [`${id}: ${file}`])),
  )
  expect(gone).toEqual([])
})

test('what is done names a test that shows it; what is a figure its bench, what is a page its page', () => {
  const shown = (where: string): boolean =>
    filesOf(where).some((file) => /^(?:test|bench)\//.test(file)) || /\]\([^)]+\.md\)/.test(where)
  expect(ROWS.filter(({ status, where }) => status === 'done' && !shown(where)).map(({ id }) => id)).toEqual([])
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

const DOCUMENTS = [...['000', '001', '002', '003', '004'].map((id) => `${id}.test.ts`), 'running.workerd.ts']
test.each(DOCUMENTS)('the rows whose examples %s runs name it, and no others', (name) => {
  const file = `test/documents/${name}`
  const naming = ROWS.filter(({ where }) => where.includes(file)).map((row) => row.id)
  expect([...rowsRunBy(file)].sort()).toEqual(naming)
})

test('what is done runs the example of its document; two are times, which a bench measures', () => {
  const done = ROWS.filter(({ status }) => status === 'done')
  const others = done.filter(({ where }) => !where.includes('test/documents/'))
  expect(others.map(({ id }) => id)).toEqual(['R073', 'R102'])
  for (const { where } of others) expect(where).toContain('bench/')
})
