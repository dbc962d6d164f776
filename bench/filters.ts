/**
 * The cost of a metadata filter in the embedded index: 10,000 rows with metadata of about 230 bytes, hybrid queries of
 * twelve words for ten rows.
 *
 *   npm run bench -- filters
 *
 * Storage is SQLite in Node's memory. Texts and metadata are drawn with a fixed seed. Filters take turns.
 */
import { IndexInMemory } from '../test/vector-index/index-in-memory.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_122
const ROWS = 10_000
const ROUNDS = 75
const random = seededRandom(SEED)

const FILTERS: readonly (readonly [name: string, filter: string])[] = [
  ['no filter', ''],
  ['one number, a tenth of the rows', 'year >= 2018'],
  ['one text, a third', "lang = 'en'"],
  ['a pattern, a hundredth', "source GLOB 'https://example.com/docs/??17*'"],
  [
    'five terms over four fields',
    "lang IN ('en', 'de') AND (year < 2010 OR tags CONTAINS 'tag3') AND public = true AND lang != 'tr'",
  ],
  ['one row', "source = 'https://example.com/docs/4711/page'"],
]

const words = Array.from({ length: 4000 }, (_, at) => `w${at.toString(36)}`)
const text = (length: number): string =>
  Array.from({ length }, () => words[Math.floor(Math.exp(random() * Math.log(words.length)))]).join(' ')

const index = new IndexInMemory()

function send(command: string, body: unknown): unknown {
  const { body: answer } = index.answer('POST', command, body)
  if ('error' in answer) throw new Error(answer.error)
  return answer.result
}

const rows = Array.from({ length: ROWS }, (_, at) => ({
  id: `row-${at}`,
  data: text(60),
  metadata: {
    documentId: `document-${at % 500}`,
    title: `The title of document ${at % 500}`,
    source: `https://example.com/docs/${at}/page`,
    lang: ['en', 'de', 'tr'][at % 3],
    year: 2000 + (at % 20),
    tags: [`tag${at % 5}`, `tag${at % 7}`, `tag${at % 11}`],
    public: at % 2 === 0,
  },
}))

/** CPU time in milliseconds, which other load on the machine affects less than elapsed time. */
function timed(work: () => unknown): number {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

function shown(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? NaN).toFixed(1)
  return `${at(0.5)} (${at(0)}–${at(1)})`
}

for (let at = 0; at < ROWS; at += 1000) send('upsert-data', rows.slice(at, at + 1000))
const ask = (filter: string): unknown => send('query-data', { data: text(12), topK: 10, filter })
ask('')

const taken = new Map<string, number[]>(FILTERS.map(([name]) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, filter] of FILTERS) taken.get(name)?.push(timed(() => ask(filter)))
}

process.stdout.write(`${ROWS} rows, ${ROUNDS} rounds; milliseconds of computing: median (lowest to highest)\n`)
for (const [name] of FILTERS) process.stdout.write(`${name.padEnd(34)} ${shown(taken.get(name) ?? [])}\n`)
const deleting = timed(() => send('delete', { filter: 'year >= 2018' }))
process.stdout.write(`delete by filter, a tenth of the rows: ${deleting.toFixed(0)}\n`)
