/** A backup as an operator makes it: the database of one gate is saved, and restored into another. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { ask, callGate, ingest, statistics } from '../../packages/cli/src/gate-client.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { type BundledGate, startBundledGate } from './bundled-gate.ts'
import { GATE_DOCUMENTS } from './visited-site.ts'

const homes = ['saved', 'restored'].map((name) => mkdtempSync(join(tmpdir(), `rag-gate-backup-${name}-`)))
const [saved, restored] = homes as [string, string]
const file = join(saved, 'backup.jsonl')
afterAll(() => homes.forEach((home) => rmSync(home, { recursive: true, force: true })))

const start = (home: string): Promise<BundledGate> =>
  startBundledGate({
    stateDirectory: join(home, '.wrangler', 'state'),
    vars: { STORE_QUESTIONS_DAYS: '7' },
  })

/** The command of the docs, for the database of a folder. */
function backup(home: string, command: 'save' | 'restore', path = file) {
  const args = ['scripts/run.mjs', 'scripts/backup.ts', command, path]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, RAG_GATE_HOME: home, CLOUDFLARE_CF_FETCH_ENABLED: 'false' },
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

/** Every row of every table, but for those of the words and the numbers that passages have. */
function contents(home: string): Readonly<Record<string, readonly unknown[]>> {
  const directory = join(home, '.wrangler', 'state', 'v3', 'd1', 'miniflare-D1DatabaseObject')
  const name = readdirSync(directory).find((each) => each.endsWith('.sqlite') && each !== 'metadata.sqlite')!
  const database = new DatabaseSync(join(directory, name), { readOnly: true })
  try {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'passage_*' AND name NOT GLOB 'sqlite_*'
         AND name NOT GLOB '_cf_*' AND name NOT GLOB 'd1_*'`,
      )
      .all()
      .map((row) => String(row['name']))
    return Object.fromEntries(
      tables.map((table) => [
        table,
        database
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map((row) =>
            JSON.stringify(table === 'passages' ? { ...row, number: 0, passage: sorted(String(row['passage'])) } : row),
          )
          .sort(),
      ]),
    )
  } finally {
    database.close()
  }
}

/** The members of an object, in any order. */
const sorted = (json: string): unknown => Object.entries(JSON.parse(json) as object).sort()

const QUESTIONS = [
  'How long is a strong answer cached?',
  'What is the weather in Chicago?',
  'How long is a refusal cached?',
]

test('the data of a gate are restored in another, which answers and continues the counts', async () => {
  const first = await start(saved)
  await ingest(first.url, first.adminToken, GATE_DOCUMENTS)
  const answered = []
  for (const question of QUESTIONS) answered.push(await ask(first.url, question))
  const [right] = answered
  // JSON may hold characters that other formats take for line ends.
  const comment = 'one\u2028two'
  const label = { answer: right!.headers.get('rag-gate-feedback'), rating: 'right', comment }
  await callGate({ url: first.url }, 'POST', '/v1/feedback', label)
  await expect
    .poll(() => statistics(first.url, first.adminToken), { timeout: 20_000 })
    .toMatchObject({ decisions: QUESTIONS.length })
  await first.stop()
  const before = contents(saved)
  expect(before['decisions']).toHaveLength(QUESTIONS.length)
  expect(before['feedback']).toHaveLength(1)

  expect(backup(saved, 'save')).toMatchObject({
    status: 0,
    output: expect.stringContaining('3 decisions, 2 documents') as string,
  })
  // What is there already is not written over.
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  expect(lines.length).toBeGreaterThan(10)
  const damaged = join(saved, 'damaged.jsonl')
  writeFileSync(damaged, [...lines.slice(0, 5), '["decisions",{"id"'].join('\n'))
  for (const [ran, said] of [
    [backup(saved, 'save'), `${file} cannot be written: EEXIST: file already exists, open '${file}'`],
    [backup(saved, 'restore'), 'The database is not empty: restore into one that has the migrations and nothing else'],
    [backup(restored, 'restore', damaged), `${damaged}:6 is damaged`],
    [backup(restored, 'restore', `${file}.gone`), `There is no file ${file}.gone`],
    [backup(restored, 'save', `${file}.new`), `There is no local database in ${restored}/.wrangler/state: npm start`],
  ] as const) {
    expect(ran).toEqual({ status: 1, output: expect.stringMatching(/^[^\n]+\n$/) as string })
    expect(ran.output).toContain(said)
  }
  expect(existsSync(`${file}.new`)).toBe(false)

  // Where nothing is yet a database is made.
  expect(backup(restored, 'restore')).toMatchObject({ status: 0 })
  // A start takes it for its own.
  const schemaOf = (home: string): string => readFileSync(join(home, '.wrangler', 'state', 'schema'), 'utf8')
  expect(schemaOf(restored)).toBe(schemaOf(saved))
  expect(contents(restored)).toEqual(before)
  const second = await start(restored)
  const again = await ask(second.url, QUESTIONS[0]!)
  expect(again.body).toMatchObject({ verdict: right!.body.verdict, answer: right!.body.answer })
  await expect
    .poll(() => statistics(second.url, second.adminToken), { timeout: 20_000 })
    .toMatchObject({ decisions: QUESTIONS.length + 1 })
  await second.stop()
}, 240_000)
