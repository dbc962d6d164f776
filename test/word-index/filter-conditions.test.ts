/** Filters of a route as conditions of SQL, against what `passesFilter` says. */
import { DatabaseSync } from 'node:sqlite'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type PassageFilter, passesFilter } from '../../src/core/evidence/passage-filter.ts'
import { filterConditions } from '../../packages/word-index/src/filter-conditions.ts'
import { isRagGateError } from '../../src/errors.ts'
import { anyText } from '../fixtures/any-text.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { examples } from '../properties.ts'

const database = new DatabaseSync(':memory:')
database.exec('CREATE TABLE passages (position INTEGER PRIMARY KEY, passage TEXT)')
afterAll(() => database.close())

const scalar = fc.oneof(
  fc.constantFrom<string | number | boolean>('edge', '1', 1, 0, true, false, 'true'),
  fc.constantFrom<string | number | boolean>('edge', '1', 1, 0, true, false, '', 1.5, -0, 1e15),
  anyText({ maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const name = fc.constantFrom('team', 'team', 'level', 'a-b', '0', '__proto__', 'constructor')
const field = fc.oneof(
  fc.constantFrom('documentId', 'title', 'section', 'source', 'version'),
  fc
    .oneof(fc.tuple(name), fc.array(name, { minLength: 1, maxLength: 3 }))
    .map((names) => `metadata.${names.join('.')}`),
)
/** Also such as no filter may have. */
const anyField = fc.oneof(
  field,
  field,
  field,
  fc.constantFrom('metadata', 'text', 'metadata."a', "title'--", 'a.b'),
  anyText(),
)
const value = fc.oneof(scalar, fc.constantFrom("it's", '"', '\\', '\ud800', '\0', "' OR 1=1 --"))
/** Such as some passages pass. */
const pool = fc.constantFrom<string | number | boolean>('edge', '1', 1, 0, true, false, 'true')
const likely = fc.dictionary(
  fc.constantFrom('metadata.team', 'metadata.level', 'title', 'documentId'),
  fc.oneof(pool, fc.array(pool, { minLength: 1, maxLength: 4 })),
  { minKeys: 1, maxKeys: 2 },
)
const any = fc.dictionary(anyField, fc.oneof(value, fc.array(value, { maxLength: 4 })), { maxKeys: 3 })
const filters = fc.oneof(likely, likely, any)

const metadata = fc.dictionary(
  name,
  fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 2 }), fc.dictionary(name, scalar, { maxKeys: 2 })),
  { maxKeys: 3 },
)
const passages = fc.array(
  fc.record({ title: scalar.map(String), documentId: fc.constantFrom('edge', '1', 'true'), metadata }).map((some) =>
    // As it is stored: what JSON does not have is gone.
    JSON.stringify({ ...aPassage('a'), ...some }),
  ),
  { minLength: 1, maxLength: 8 },
)

test('SQL conditions select the passages that pass the filter, or the filter is rejected', () => {
  let [selected, all] = [0, 0]
  fc.assert(
    fc.property(filters, passages, (filter, stored) => {
      let conditions
      try {
        conditions = filterConditions(filter as PassageFilter, 1)
      } catch (thrown) {
        expect(isRagGateError(thrown) && thrown.code).toBe('config_invalid')
        return
      }
      const { sql, values } = conditions
      database.exec('DELETE FROM passages')
      const insert = database.prepare('INSERT INTO passages VALUES (?, ?)')
      for (const [at, passage] of stored.entries()) insert.run(at, passage)
      const rows = database.prepare(`SELECT position FROM passages WHERE 1${sql}`).all(...values)
      const passing = stored.flatMap((passage, at) =>
        passesFilter(JSON.parse(passage) as Parameters<typeof passesFilter>[0], filter as PassageFilter) ? [at] : [],
      )
      expect(rows.map(({ position }) => position)).toEqual(passing)
      selected += passing.length
      all += stored.length
    }),
    { numRuns: examples(1500) },
  )
  // Filters that never, or always, find would prove little.
  expect(selected / all).toBeGreaterThan(0.02)
  expect(selected / all).toBeLessThan(0.9)
})
