import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { countingSql } from '../../d1/counting.ts'
import { FIGURES } from '../../d1/figures.ts'
import * as schema from '../../d1/schema.ts'
import { countingFile, migratedSnapshot, newest, rawFile, snapshotOf, tablesSql } from '../../scripts/migrations.ts'
import { ROOT } from '../../scripts/local-gate.ts'

const MIGRATIONS = join(ROOT, 'd1', 'migrations')
/** Gates, of the gate itself and of the published policies. */
const GATES = globSync(['src/core/gates/*.ts', 'packages/presets/src/**/*.ts'], { cwd: ROOT })

describe('the migrations', () => {
  it('create the tables of d1/schema.ts: `npm run migrations` writes them', async () => {
    expect(await tablesSql(await migratedSnapshot(), await snapshotOf(schema))).toBe('')
  })

  it('count what the table of figures defines, and contain the statements of d1/raw', () => {
    expect(rawFile('counting')).toBe(countingFile(FIGURES))
    for (const name of ['words', 'counting', 'triggers'] as const) expect(newest(name)).toBe(rawFile(name))
  })

  it.each([
    ['e', /^cut and escalated are both called "e"/],
    ['cut', /^cut is called "cut".*one or two letters/],
    ['b1', /one or two letters/],
  ])('are not written for a figure with the short name %s', (as, message) => {
    const cut = { kind: 'count', as } as const
    expect(() => countingSql({ ...FIGURES, cut })).toThrow(message)
  })

  it('are the only SQL outside of drizzle, except statements that it cannot express', () => {
    const files = globSync(['packages/*/src/**/*.ts', 'workers/**/*.ts'], { cwd: ROOT })
    // Full text; and a storage that drizzle does not know.
    const rooms = /^packages\/(?:\w+\/src\/d1\/raw|word-index|vector-index)\//
    const written = /prepare\(\s*['"`]|^(?!\s*(?:\*|\/)).*(?<!sql)`(?:SELECT|INSERT|UPDATE|DELETE|WITH) /m
    const found = files.filter((file) => !rooms.test(file) && written.test(readFileSync(join(ROOT, file), 'utf8')))
    expect(found).toEqual([])
    expect(files.some((file) => rooms.test(file) && written.test(readFileSync(join(ROOT, file), 'utf8')))).toBe(true)
  })

  it('make tables strict, without row ids unless rows are long, also when a table is recreated', async () => {
    const tenant = text('tenant').notNull()
    const at = integer('at').notNull()
    const made = {
      narrow: sqliteTable('made', { tenant, at }, (table) => [primaryKey({ columns: [table.tenant] })]),
      wide: sqliteTable('made', { tenant, at }, (table) => [primaryKey({ columns: [table.tenant, table.at] })]),
    }
    const [none, narrow, wide] = [{}, { made: made.narrow }, { made: made.wide }].map(snapshotOf)
    expect(await tablesSql(await none!, await narrow!)).toMatch(
      /^CREATE TABLE `made` \([^;]+\) STRICT, WITHOUT ROWID;\n$/,
    )
    expect(await tablesSql(await narrow!, await wide!)).toMatch(
      /CREATE TABLE `__new_made` [^;]+ STRICT, WITHOUT ROWID;/,
    )
    const kept = { decisions: sqliteTable('decisions', { place: integer('place').primaryKey() }) }
    expect(await tablesSql(await none!, await snapshotOf(kept))).toMatch(/\n\) STRICT;\n$/)
  })

  it('name no gate', () => {
    const named = GATES.flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bname: '([a-z-]+)'/g)].map(([, name]) => name ?? ''),
    )
    expect(named).toContain('evidence-share')
    const texts = readdirSync(MIGRATIONS).map((file) => readFileSync(join(MIGRATIONS, file), 'utf8'))
    expect(named.filter((name) => texts.some((each) => each.includes(`'${name}'`)))).toEqual([])
  })
})
