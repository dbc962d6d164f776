import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileFilter } from '../../../packages/vector-index/src/filter/compile-filter.ts'
import type { Path } from '../../../packages/vector-index/src/filter/filter.ts'
import { parseFilter } from '../../../packages/vector-index/src/filter/parse-filter.ts'
import { valueAt } from '../../../packages/vector-index/src/filter/path.ts'
import { filterArbitrary, metadataArbitrary } from './filter-arbitraries.ts'
import { sqlCondition } from './filter-sql.ts'

/** Bound parameters of a statement in a Durable Object. */
const MAX_BINDINGS = 100

const SEED = 20_261_122

test('filters of any form select the rows that the SQLite of a Durable Object selects', async () => {
  const runs = await runInDurableObject(env.VECTOR_INDEX.getByName('filters'), (_index, { storage: { sql } }) => {
    let runs = 0
    sql.exec('CREATE TABLE filtered (position INTEGER PRIMARY KEY, metadata TEXT)')
    const rowsArbitrary = fc.array(metadataArbitrary, { minLength: 1, maxLength: 8 })
    const property = fc.property(filterArbitrary, rowsArbitrary, ({ filter, text }, rows) => {
      const { sql: condition, bindings } = sqlCondition(filter, 'metadata')
      fc.pre(bindings.length <= MAX_BINDINGS)
      sql.exec('DELETE FROM filtered')
      sql.exec('INSERT INTO filtered SELECT key, value FROM json_each(?)', JSON.stringify(rows.map(jsonOf)))
      const columnOf = (path: Path) => rows.map((row) => valueAt(row, path))
      const selected = compileFilter(parseFilter(text))(rows.length, columnOf)
      const bySql = sql.exec(`SELECT position FROM filtered WHERE ${condition}`, ...bindings).toArray()
      expect(Array.from(rows.keys()).filter((at) => selected[at] === 1)).toEqual(bySql.map(({ position }) => position))
      runs += 1
    })
    fc.assert(property, { numRuns: 300, seed: SEED })
    return runs
  })
  expect(runs).toBeGreaterThanOrEqual(300)
})

test('a pattern longer than the platform lets GLOB be is matched all the same', async () => {
  const post = (command: string, body: unknown) =>
    env.VECTOR_INDEX.getByName('long patterns').fetch(`https://index.test/${command}`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
  const name = 'a name that is longer than fifty characters, as some titles are: '
  const rows = [1, 2].map((at) => ({ id: `${at}`, data: 'gate', metadata: { name: name + String(at) } }))
  await post('upsert-data', rows)
  const found = await post('query-data', { data: 'gate', topK: 5, filter: `name GLOB '${name}[2-9]'` })
  expect(await found.json()).toMatchObject({ result: [{ id: '2' }] })
  const deleted = await post('delete', { filter: `name GLOB '${name}[2-9]'` })
  expect(await deleted.json()).toEqual({ result: { deleted: 1 } })
})

function jsonOf(metadata: unknown): string | null {
  return metadata === undefined ? null : JSON.stringify(metadata)
}
