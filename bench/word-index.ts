/**
 * Where to store the word index: D1, a Durable Object's own storage, the vector index and MiniSearch compared. Cold and
 * warm queries, rows, sizes, writes and deletes at 1,000, 10,000 and 50,000 passages; how close it is to BM25 over
 * every passage; and its retrieval quality. Results are in docs/internal/word-index.md.
 *
 *   npm run bench -- word-index [-- sizes]
 *
 * Every engine runs in workerd on this machine, queried over local HTTP. Cold is the first question to a process
 * restarted with the same files, after the database was opened with `SELECT 1`: memory is empty, the machine's file
 * cache is not.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type V4ModuleDefinition } from 'miniflare'
import { bundle } from '../scripts/bundle.ts'
import { markdownTable } from './markdown-table.ts'
import { agreementRow } from './word-index/agreement.ts'
import { miniSearchRow } from './word-index/minisearch.ts'
import { haveData, passagesOf, questionsAbout } from './word-index/passages.ts'
import { qualityRow } from './word-index/quality.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

const ENGINES = ['d1', 'object', 'vectors'] as const
type Engine = (typeof ENGINES)[number]
const NAMES: Readonly<Record<Engine, string>> = { d1: 'words, D1', object: 'words, object', vectors: 'vector index' }
const SEED = 20_261_124
const QUESTIONS = 300
const COLD_STARTS = 7
const SETS =
  'squad-ooc clapnq azure-faq gov-faq tex-faq perl-faq covid-qa scifact-missing xquad-en xquad-de xquad-zh xquad-ar'.split(
    ' ',
  )
const MIGRATIONS = ['0001_tables.sql', '0002_words.sql'].map((name) =>
  join(import.meta.dirname, '..', 'd1', 'migrations', name),
)

if (!haveData()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const sizes = (process.argv[2] ?? '1000,10000,50000').split(',').map(Number)
const built = mkdtempSync(join(tmpdir(), 'word-index-bench-'))
const modules = bundle('bench/word-index/worker.ts', built)
const questions = questionsAbout(QUESTIONS, SEED)

interface Counted {
  readonly rowsRead: number
  readonly rowsWritten: number
}

function start(directory: string): Miniflare {
  return new Miniflare(
    convertV4MiniflareOptions({
      name: 'words',
      modules: modules as V4ModuleDefinition[],
      modulesRoot: built,
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      host: '127.0.0.1',
      port: 0,
      d1Databases: ['DB'],
      durableObjects: {
        WORDS: { className: 'Words', useSQLite: true },
        VECTOR_INDEX: { className: 'VectorIndex', useSQLite: true },
      },
      resourcePersistencePath: directory,
    }),
  )
}

async function send<Result>(server: Miniflare, path: string, body?: unknown): Promise<Result> {
  const url = new URL(path, await server.ready)
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
  return (text === '' ? undefined : JSON.parse(text)) as Result
}

async function timed<Result>(work: () => Promise<Result>): Promise<readonly [ms: number, result: Result]> {
  const before = performance.now()
  const result = await work()
  return [performance.now() - before, result]
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

const spread = (values: readonly number[]): string =>
  `${quantile(values, 0.5).toFixed(1)} (${quantile(values, 0.95).toFixed(1)})`

async function measure(engine: Engine, size: number): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'word-index-state-'))
  let server = start(directory)
  try {
    if (engine !== 'vectors') {
      const statements = MIGRATIONS.map((file) => readFileSync(file, 'utf8'))
        .join('\n')
        .replaceAll(/^--.*$/gm, '')
        .split(';')
      const made = statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
      await send(server, `/${engine}/migrate`, made)
    }
    const passages = passagesOf(size, SEED)
    let rowsWritten = 0
    const [writingMs] = await timed(async () => {
      for (let at = 0; at < size; at += 500) {
        const counted = await send<Counted>(server, `/${engine}/upsert`, passages.slice(at, at + 500))
        rowsWritten += counted.rowsWritten
      }
    })
    const ask = (question: string, more = {}) => send<Counted>(server, `/${engine}/ask`, { question, ...more })
    const warm: number[] = []
    const read: number[] = []
    for (const question of questions) await ask(question)
    const cpuBefore = workerdCpuMs()
    for (const question of questions) {
      const [ms, counted] = await timed(() => ask(question))
      warm.push(ms)
      read.push(counted.rowsRead)
    }
    const cpuMs = (workerdCpuMs() - cpuBefore) / questions.length
    const filtered: number[] = []
    const filteredRead: number[] = []
    for (const question of questions.slice(0, 100)) {
      const [ms, counted] = await timed(() => ask(question, { filter: { 'metadata.team': 'team-7' } }))
      filtered.push(ms)
      filteredRead.push(counted.rowsRead)
    }
    const bytes = engine === 'vectors' ? undefined : await send<number>(server, `/${engine}/size`)
    const cold: number[] = []
    for (let at = 0; at < COLD_STARTS; at++) {
      await server.dispose()
      server = start(directory)
      await send(server, engine === 'vectors' ? '/d1/open' : `/${engine}/open`)
      cold.push((await timed(() => ask(questions[at * 3]!)))[0])
    }
    const removed = passages.slice(0, 500).map(({ id }) => id)
    const [removingMs, removal] = await timed(() => send<Counted>(server, `/${engine}/delete`, removed))
    const counted = engine !== 'vectors'
    return [
      NAMES[engine],
      size.toLocaleString('en'),
      spread(cold),
      spread(warm),
      cpuMs.toFixed(1),
      spread(filtered),
      counted ? `${quantile(read, 0.5)} (${quantile(read, 0.95)})` : '–',
      counted ? `${quantile(filteredRead, 0.5)} (${quantile(filteredRead, 0.95)})` : '–',
      Math.round((size / writingMs) * 1000).toLocaleString('en'),
      counted ? (rowsWritten / size).toFixed(2) : '–',
      bytes === undefined ? '–' : Math.round(bytes / size).toLocaleString('en'),
      `${removingMs.toFixed(0)}${counted ? ` / ${removal.rowsWritten}` : ''}`,
    ]
  } finally {
    await server.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
}

const rows: (readonly string[])[] = []
for (const size of sizes) {
  for (const engine of ENGINES) {
    // The vector index is full at about 67,000 passages.
    rows.push(await measure(engine, engine === 'vectors' ? Math.min(size, 60_000) : size))
    console.log(rows.at(-1)!.join(' | '))
  }
}
rmSync(built, { recursive: true, force: true })
const miniSearch = sizes.map((size) => miniSearchRow(size, SEED))
const agreement = await agreementRow(50_000, SEED)
const quality: (readonly string[])[] = []
for (const set of SETS) quality.push(await qualityRow(set, 600, SEED))

const page = `# The word index: where it stands, and what it finds

Written by \`npm run bench -- word-index\` (\`bench/word-index.ts\`, seed ${SEED}). Full-text search of SQLite over the gate's own terms runs in
D1 and in a Durable Object's storage with the same statements; \`vector index\` is what the ready Worker had before: dense vectors of hashed words and BM25,
loaded by its object, which is full at some 67,000 passages.

## Why D1

It is there, with migrations and Time Travel; there is nothing to load, and memory does not depend on the number of passages; the object saves the hop to D1, not the search, and both bill rows alike: the free plan's 5 million rows read a day are some 37,000 questions, its 100,000 written some 33,000 passages.
Against it: one database answers one query at a time, for all tenants together; beyond its CPU each tenant needs a database of its own. While D1 is away stored answers are sent, and other questions get 503. \`wrangler d1 export\` takes no database with a full-text table.
Reads go to the primary database: a replica may lag behind a publication, and an answer from older passages would be kept under the newer version.

## Cold, warm, and what it costs

Milliseconds over local HTTP, with other work on the machine: median (95th percentile) of ${COLD_STARTS} cold starts, ${QUESTIONS} warm questions, 100 with a filter that one
passage of twenty passes. Cold is the first question to a process that was started again over the same files, once the database was opened with \`SELECT 1\`: memory is empty, the
machine's cache of files is not. Passages of some 90 words are put together from sentences of the question sets.

${markdownTable(
  [
    'engine',
    'passages',
    'cold, ms',
    'warm, ms',
    'CPU a question, ms',
    'filtered, ms',
    'rows read',
    'rows read, filtered',
    'passages written/s',
    'rows written each',
    'bytes each',
    'removing 500, ms / rows',
  ],
  rows,
)}

An index in memory has to be loaded: MiniSearch 7.2.0 over the same terms, in Node, out of its own JSON; milliseconds of computing, medians of 5 loads with the first question, and of 100 questions.

${markdownTable(['passages', 'load and first question, CPU ms', 'a question, CPU ms', 'bytes each'], miniSearch)}

## Rare terms first

The terms of a question are matched from the rarest on, as long as they stand in no more than 16,000 passages together; the passages found, 20 more than wanted, are ranked again by
the BM25 of their own collection. Against BM25 over every passage, with 100 questions to 50,000 passages (SQLite in Node): ${agreement}.

## What it finds

nDCG@10 with at most 600 answerable questions of a set; the vector index as the gate asked it, the convex mix of both searches. The difference with its bootstrap 95 % interval.

${markdownTable(['set', 'n', 'words', 'vector index', 'difference'], quality)}
`
console.log(page)
