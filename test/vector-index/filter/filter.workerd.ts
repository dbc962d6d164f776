import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { FILTER_LIMITS, filterCondition } from '../../../packages/vector-index/src/filter/filter-condition.ts'
import { filterArbitrary, metadataArbitrary } from './filter-arbitraries.ts'
import { isSelected } from './reference-filter.ts'

const SEED = 20_261_122

test('filters of any form select in a Durable Object the rows that an independent reading of the grammar selects', async () => {
  const runs = await runInDurableObject(env.VECTOR_INDEX.getByName('filters'), (_index, { storage: { sql } }) => {
    let runs = 0
    sql.exec('CREATE TABLE filtered (position INTEGER PRIMARY KEY, metadata BLOB)')
    const rowsArbitrary = fc.array(metadataArbitrary, { minLength: 1, maxLength: 8 })
    const property = fc.property(filterArbitrary, rowsArbitrary, ({ filter, text }, rows) => {
      sql.exec('DELETE FROM filtered')
      sql.exec('INSERT INTO filtered SELECT key, jsonb(value) FROM json_each(?)', JSON.stringify(rows.map(jsonOf)))
      const bySql = sql.exec(`SELECT position FROM filtered WHERE ${filterCondition(text)}`).toArray()
      const selected = Array.from(rows.keys()).filter((at) => isSelected(filter, rows[at]))
      expect(bySql.map(({ position }) => position)).toEqual(selected)
      runs += 1
    })
    fc.assert(property, { numRuns: 300, seed: SEED })
    return runs
  })
  expect(runs).toBeGreaterThanOrEqual(300)
})

test("the largest allowed filters are within the platform's limits", async () => {
  const { depth, terms, listed } = FILTER_LIMITS
  const each = Math.floor(terms / (depth + 1))
  const level = (inner: string, at: number): string => {
    const others = Array.from({ length: each - 1 }, () => `a.b.c[0] = 'x'`)
    return [...others, inner].join(at % 2 === 0 ? ' AND ' : ' OR ')
  }
  const nested = Array.from({ length: depth }).reduce<string>((inner, _, at) => `(${level(inner, at)})`, 'a = 1')
  const long = Array.from({ length: terms }, () => `a.b.c[#-1] NOT CONTAINS 'x'`).join(' OR ')
  const list = `a NOT IN (${Array.from({ length: listed }, (_, at) => `'${crypto.randomUUID()}${at}'`).join()})`
  await runInDurableObject(env.VECTOR_INDEX.getByName('large filters'), (_index, { storage: { sql } }) => {
    sql.exec('CREATE TABLE filtered (metadata TEXT)')
    for (const text of [level(nested, 0), long, list]) {
      expect(() => sql.exec(`SELECT 1 FROM filtered WHERE ${filterCondition(text)}`).toArray()).not.toThrow()
    }
  })
})

test("a pattern longer than the platform's limit for GLOB is matched", async () => {
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
