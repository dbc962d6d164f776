import type { D1Database } from '@cloudflare/workers-types'
import { expect, it } from 'vitest'
import { countedDatabase } from '../../../packages/console/src/d1/counted-database.ts'
import { d1InMemory } from '../../fixtures/d1-in-memory.ts'

it('counts the statements of a database, those of a batch each, and is one for each database', async () => {
  const given: D1Database = d1InMemory()
  const { db, statements } = countedDatabase(given)
  expect(statements()).toBe(0)
  expect(await db.prepare('SELECT 1 AS one').first()).toEqual({ one: 1 })
  const results = await db.batch([db.prepare('SELECT 2 AS two'), db.prepare('SELECT ?1 AS three').bind(3)])
  expect(results.map((each) => each.results)).toEqual([[{ two: 2 }], [{ three: 3 }]])
  expect(statements()).toBe(3)
  for (const known of [given, db]) expect(countedDatabase(known).db).toBe(db)
  expect(countedDatabase(d1InMemory()).statements()).toBe(0)
})
