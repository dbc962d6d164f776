/**
 * Generates the migrations for changes of `d1/schema.ts`, `d1/figures.ts` or `d1/raw`.
 *
 *   npm run migrations
 *
 * drizzle-kit compares the tables with those of the previous migrations, which are recorded in `d1/schema.json`. STRICT
 * and WITHOUT ROWID, which it does not support, are added to the tables. Each file of `d1/raw` becomes a separate
 * migration, generated again if it changed, or if a table was recreated, which drops its triggers. To regenerate a
 * migration that no database has yet, delete it by hand, and revert `d1/schema.json`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type DrizzleSQLiteSnapshotJSON as Snapshot,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { countingSql } from '../d1/counting.ts'
import { FIGURES } from '../d1/figures.ts'
import * as schema from '../d1/schema.ts'
import { ROOT } from './local-gate.ts'

const D1 = join(ROOT, 'd1')
const MIGRATIONS = join(D1, 'migrations')
const SNAPSHOT = join(D1, 'schema.json')
/** In the order in which they are applied. */
const RAW = ['words', 'counting', 'triggers'] as const

/** Tables found by a single number, or with rows longer than a twentieth of a page; others are WITHOUT ROWID. */
const WITH_ROWID: readonly string[] = [
  'chunk_texts',
  'collections',
  'decisions',
  'documents',
  'lexicons',
  'passage_namespaces',
  'passages',
  'pushed_policies',
  'removed_decisions',
  'signal_shapes',
]

/** drizzle-kit's snapshot of these tables. */
export function snapshotOf(tables: Record<string, unknown>): Promise<Snapshot> {
  return generateSQLiteDrizzleJson(tables)
}

/** The tables of all migrations so far. */
export async function migratedSnapshot(): Promise<Snapshot> {
  // Written below.
  return existsSync(SNAPSHOT) ? (JSON.parse(readFileSync(SNAPSHOT, 'utf8')) as Snapshot) : snapshotOf({})
}

/** Statements that change one set of tables into another; '' if there are none. */
export async function tablesSql(before: Snapshot, after: Snapshot): Promise<string> {
  const statements = await generateSQLiteMigration(before, after)
  return statements.map((statement) => `${withOptions(statement.trim())}\n`).join('\n')
}

function withOptions(statement: string): string {
  const [, name] = /^CREATE TABLE `(?:__new_)?(\w+)`/.exec(statement) ?? []
  if (name === undefined) return statement
  return statement.replace(/\);$/, WITH_ROWID.includes(name) ? ') STRICT;' : ') STRICT, WITHOUT ROWID;')
}

/** Content of the file in `d1/raw` for these figures. */
export function countingFile(figures: typeof FIGURES): string {
  return `-- Written by \`npm run migrations\` from d1/figures.ts and d1/counting.ts: change those, not this.\n\n${countingSql(figures)}`
}

/** The latest migration with a name. */
export function newest(name: string): string | undefined {
  const files = readdirSync(MIGRATIONS).filter((file) => file.slice(5) === `${name}.sql`)
  const last = files.sort().at(-1)
  return last === undefined ? undefined : readFileSync(join(MIGRATIONS, last), 'utf8')
}

export const rawFile = (name: (typeof RAW)[number]): string => readFileSync(join(D1, 'raw', `${name}.sql`), 'utf8')

function write(name: string, text: string): void {
  const last = readdirSync(MIGRATIONS).sort().at(-1)
  const number = last === undefined ? 1 : Number(last.slice(0, 4)) + 1
  const file = `${String(number).padStart(4, '0')}_${name}.sql`
  writeFileSync(join(MIGRATIONS, file), text)
  console.log(`wrote d1/migrations/${file}`)
}

if (import.meta.main) {
  const [before, after] = [await migratedSnapshot(), await snapshotOf(schema)]
  const tables = await tablesSql(before, after)
  if (tables !== '') {
    write('tables', tables)
    writeFileSync(SNAPSHOT, `${JSON.stringify(after)}\n`)
  }
  writeFileSync(join(D1, 'raw', 'counting.sql'), countingFile(FIGURES))
  const isMadeAnew = tables.includes('DROP TABLE')
  for (const name of RAW) {
    if (newest(name) !== rawFile(name) || (isMadeAnew && name !== 'words')) write(name, rawFile(name))
  }
}
