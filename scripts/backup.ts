/**
 * Saves the gate's D1 database to a file, and restores it into another: all tables, including passages, which are
 * indexed again. (`wrangler d1 export` does not support databases with full-text tables.)
 *
 *   node scripts/run.mjs scripts/backup.ts save <file> [database id]
 *   node scripts/run.mjs scripts/backup.ts restore <file> [database id]
 *
 * Without an id, the local database (`npm start`) is used, which no other process may have open; with an id, the
 * deployment's, with wrangler's login. A database to restore into must have the migrations, and no data. Rows that are
 * written during a backup may or may not be in the file; an erasure meanwhile makes it fail.
 */
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { CommandError, notWritten } from '../packages/cli/src/command-error.ts'
import { storedPassage } from '../packages/word-index/src/caller.ts'
import { createWordIndex } from '../packages/word-index/src/chunk-index.ts'
import { jsonBatches } from '../src/adapters/d1/json-batches.ts'
import { english } from '../src/language/english/index.ts'
import { migrate, noteSchema, ROOT } from './local-gate.ts'
import { linesOf } from './text-lines.ts'

const LOCAL_ID = '00000000-0000-0000-0000-000000000000'
const PAGE = 500

/** Counts of decisions, maintained by triggers: read while nothing is being counted. */
const COUNTED = [
  'decision_rollups',
  'question_days',
  'document_weeks',
  'isolates',
  'late_decisions',
  'counted_decisions',
]
/** Tables whose triggers write other tables: restored first, so that the others are restored as they were saved. */
const FIRST = ['rejected_events', 'decisions']

type Row = Readonly<Record<string, unknown>>
type Write = (table: string, rows: readonly Row[]) => void

/**
 * @returns numbers of rows by table
 * @throws `CommandError` if a principal was erased meanwhile: what was saved before may be of that principal
 */
export async function save(db: D1Database, write: Write): Promise<Readonly<Record<string, number>>> {
  const saved: Record<string, number> = {}
  const erasures = JSON.stringify(await rowsIn(db, 'erasures'))
  const all = (await tablesOf(db)).filter((table) => !COUNTED.includes(table))
  const ordered = [...FIRST, ...all.filter((table) => !FIRST.includes(table))]
  for (const table of ordered) {
    for await (const rows of pagesOf(db, table)) {
      write(table, rows)
      saved[table] = (saved[table] ?? 0) + rows.length
    }
  }
  // Counts are saved last: they then include every decision in the file, except those to be counted after a restore.
  for (const [table, rows] of await countsOf(db)) {
    write(table, rows)
    saved[table] = rows.length
  }
  if (JSON.stringify(await rowsIn(db, 'erasures')) !== erasures) {
    throw new CommandError('A principal was erased during the backup: save again')
  }
  return saved
}

/** @throws `CommandError` if the database already has decisions or documents */
export async function restore(db: D1Database, rows: AsyncIterable<readonly [table: string, row: Row]>): Promise<void> {
  const held = await db
    .prepare('SELECT (SELECT count(*) FROM decisions) + (SELECT count(*) FROM documents) AS n')
    .first('n')
  if (held !== 0)
    throw new CommandError('The database is not empty: restore into one that has the migrations and nothing else')
  let [table, waiting]: [string, Row[]] = ['', []]
  for await (const [of, row] of rows) {
    if (of !== table || waiting.length === PAGE) {
      await put(db, table, waiting)
      ;[table, waiting] = [of, []]
    }
    waiting.push(row)
  }
  await put(db, table, waiting)
}

async function put(db: D1Database, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  if (table === 'passages') return putPassages(db, rows)
  const columns = Object.keys(first)
  const statement = db.prepare(
    `INSERT OR REPLACE INTO ${table} (${columns.join(', ')})
    SELECT ${columns.map((name) => `value ->> '${name}'`).join(', ')} FROM json_each(?1)`,
  )
  await db.batch(jsonBatches(rows).map((batch) => statement.bind(batch)))
}

/** Their terms are computed from their texts, as in ingestion. */
async function putPassages(db: D1Database, rows: readonly Row[]): Promise<void> {
  const index = createWordIndex({ db, language: english })
  for (const [namespace, own] of Map.groupBy(rows, (row) => String(row['namespace']))) {
    await index.upsert(
      namespace,
      own.map(({ id, passage }) => storedPassage(String(id), String(passage))),
    )
  }
}

/** Leaves out tables that are filled from elsewhere: the migrations' own, and those of the word index. */
async function tablesOf(db: D1Database): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
      AND name NOT GLOB 'd1_*' AND name NOT GLOB 'passage_*' ORDER BY name`,
    )
    .all<{ name: string }>()
  return results.map(({ name }) => name)
}

async function* pagesOf(db: D1Database, table: string): AsyncGenerator<readonly Row[]> {
  const { results } = await db.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`).all<{
    name: string
  }>()
  const key = results.map(({ name }) => name)
  let after: readonly unknown[] = []
  for (;;) {
    const beyond = after.length === 0 ? '' : `WHERE (${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
    const page = await db
      .prepare(`SELECT * FROM ${table} ${beyond} ORDER BY ${key.join(', ')} LIMIT ${PAGE}`)
      .bind(...after)
      .all<Row>()
    const last = page.results.at(-1)
    if (last === undefined) return
    yield page.results
    if (page.results.length < PAGE) return
    after = key.map((name) => last[name])
  }
}

async function rowsIn(db: D1Database, table: string): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pagesOf(db, table)) rows.push(...page)
  return rows
}

/** A consistent read of the count tables: repeated if decisions were counted in the meantime. */
async function countsOf(db: D1Database): Promise<readonly (readonly [table: string, rows: Row[]])[]> {
  const place = (): Promise<unknown> =>
    db.prepare(`SELECT group_concat(place || ' ' || decisions) AS places FROM counted_decisions`).first('places')
  for (;;) {
    const before = await place()
    const found: [table: string, rows: Row[]][] = []
    for (const table of COUNTED) found.push([table, await rowsIn(db, table)])
    if ((await place()) === before) return found
  }
}

const STATE = join(process.env['RAG_GATE_HOME'] ?? ROOT, '.wrangler', 'state')

/** Opens a database by id, or the local one, for the duration of `use`. */
async function withDatabase<Result>(id: string | undefined, use: (db: D1Database) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'rag-gate-backup-'))
  const database = {
    binding: 'DB',
    database_name: 'hono-rag-gate',
    database_id: id ?? LOCAL_ID,
    remote: id !== undefined,
  }
  const config = { name: 'backup', compatibility_date: '2026-11-01', d1_databases: [database] }
  writeFileSync(join(directory, 'wrangler.json'), JSON.stringify(config))
  const { getPlatformProxy } = await import('wrangler')
  const proxy = await getPlatformProxy<{ DB: D1Database }>({
    configPath: join(directory, 'wrangler.json'),
    persist: { path: join(STATE, 'v3') },
  })
  try {
    return await use(proxy.env.DB)
  } finally {
    await proxy.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The rows of a backup. @throws `CommandError` for a damaged line */
async function* rowsOf(file: string): AsyncGenerator<readonly [table: string, row: Row]> {
  let number = 0
  try {
    // Written below.
    for await (const line of linesOf(file)) {
      number++
      yield JSON.parse(line) as [string, Row]
    }
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new CommandError(`${file}:${number} is damaged`)
    throw thrown
  }
}

async function restoreFrom(file: string, id: string | undefined): Promise<void> {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}`)
  // A damaged file must not be restored in part.
  for await (const _ of rowsOf(file));
  if (id === undefined && !existsSync(join(STATE, 'v3'))) migrate(STATE)
  await withDatabase(id, (db) => restore(db, rowsOf(file)))
  // Otherwise a start would set the database aside.
  if (id === undefined) noteSchema(STATE)
  console.log(`Restored from ${file}.`)
}

async function saveTo(file: string, id: string | undefined): Promise<void> {
  if (id === undefined && !existsSync(join(STATE, 'v3'))) {
    throw new CommandError(`There is no local database in ${STATE}: npm start makes one`)
  }
  const to = opened(file)
  const write: Write = (table, rows) => writeSync(to, rows.map((row) => `${JSON.stringify([table, row])}\n`).join(''))
  const saved = await withDatabase(id, (db) => save(db, write)).catch((thrown: unknown) => {
    rmSync(file)
    throw thrown
  })
  closeSync(to)
  const rows = Object.values(saved).reduce((sum, count) => sum + count, 0)
  console.log(
    `Saved ${rows} rows to ${file}: ${saved['decisions'] ?? 0} decisions, ${saved['documents'] ?? 0} documents.`,
  )
}

/** Makes a file. @throws `CommandError` if it exists, or cannot be written */
function opened(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (thrown) {
    return notWritten(file)(thrown)
  }
}

if (import.meta.main) {
  const [command, file, id] = process.argv.slice(2)
  if (file === undefined || (command !== 'save' && command !== 'restore')) {
    console.error('usage: node scripts/run.mjs scripts/backup.ts save|restore <file> [database id]')
    process.exit(2)
  }
  try {
    await (command === 'save' ? saveTo(file, id) : restoreFrom(file, id))
  } catch (thrown) {
    if (!(thrown instanceof CommandError)) throw thrown
    console.error(thrown.message)
    process.exitCode = 1
  }
}
