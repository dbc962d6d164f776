/**
 * The cost of deciding: measuring and judging ten chunks of about 150 words, compared with parsing the same evidence
 * from JSON, with a bare Hono request, and with the retrieval of ten chunks from the embedded index, in this process
 * and in its Durable Object, as ratios within one run; and the size of a collection lexicon. Fails if deciding exceeds
 * its budget.
 *
 *   npm run bench -- deciding
 *
 * Evidence is drawn with a fixed seed from a vocabulary with word frequencies like those of real text, so that no data
 * set is needed. Its 30,000 words are longer than real ones, and new words are much more frequent, so real English is
 * measured too, if available (`deciding/squad-decisions.ts`). A text is "unread" until this isolate has measured it;
 * measured texts come as new strings too, as from an index.
 */
import { Hono } from 'hono'
import { gzipSync } from 'node:zlib'
import { buildLexicon, decodeLexicon, encodeLexicon } from '../src/core/text/lexicon.ts'
import { createMemory } from '../src/core/signals/signal.ts'
import { measure } from '../src/core/policy/measure.ts'
import { judge } from '../src/core/policy/judge.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import type { Evidence } from '../src/core/evidence/evidence.ts'
import { evidenceOf } from './deciding/evidence.ts'
import { type EnglishCosts, englishDecisions } from './deciding/squad-decisions.ts'
import { indexInProcess, indexInWorkerd } from './embedded-indexes.ts'
import { printed, spreadOf } from './deciding/spread.ts'
import { seededRandom } from './seeded-random.ts'
import { english as language } from '../src/language/english/english.ts'

const SEED = 20_261_122
const ROUNDS = 15
const BATCHES = 20
/** Budget of the weighted-signals specification for scoring and lookup, milliseconds. */
const BUDGET_MS = 15
const random = seededRandom(SEED)

/** A random word; by Zipf's law the word of rank r has a probability proportional to 1 / r. */
function word(): string {
  const rank = Math.floor(Math.exp(random() * Math.log(30_000)))
  const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se', 'ti', 'vo', 'zu', 'an']
  let rest = rank
  let made = ''
  do {
    made += syllables[rest % 16]
    rest = Math.floor(rest / 16)
  } while (rest > 0)
  return made
}

function passage(words: number): string {
  const sentences: string[] = []
  for (let left = words; left > 0; left -= 15) {
    const text = Array.from({ length: Math.min(15, left) }, word).join(' ')
    sentences.push(`${text[0]?.toUpperCase()}${text.slice(1)}.`)
  }
  return sentences.join(' ')
}

const invented = (texts: readonly string[]): Evidence =>
  evidenceOf(
    texts.map((text, at) => ({
      id: `chunk-${at}`,
      documentId: `document-${at % 4}`,
      title: 'Title of a document',
      text,
    })),
  )

const median = (values: readonly number[]): number => spreadOf(values).median

/** A task to time. */
interface Task {
  readonly name: string
  /**
   * Number of calls to time together: many if one is shorter than the clock's resolution, one if ten would exceed a
   * time slice of a busy machine.
   *
   * @default 10
   */
  readonly together?: number
  /** Prepares the work; only the work itself is timed. */
  readonly prepare: () => () => unknown
}

/** Median time of a call in a round, microseconds, so that calls interrupted by other processes do not count. */
async function timed({ prepare, together = 10 }: Task): Promise<number> {
  const times: number[] = []
  for (let batch = 0; batch < BATCHES; batch++) {
    const pieces = Array.from({ length: together }, prepare)
    const startedMs = performance.now()
    for (const work of pieces) {
      const made = work()
      if (made instanceof Promise) await made
    }
    times.push(((performance.now() - startedMs) * 1000) / together)
  }
  return median(times)
}

const corpus = Array.from({ length: 1000 }, () => passage(150))
const lexicon = decodeLexicon(encodeLexicon(buildLexicon(corpus, language)))
const policy = balanced()
const question = `When did ${word()} ${word()} ${word()} ${word()}?`
const fresh = (): Evidence => invented(Array.from({ length: 10 }, () => passage(150)))
const known = fresh()
const json = JSON.stringify(known)
const lasting = createMemory()
const signals = measure(policy, { question, evidence: known, lexicon, lasting })
const app = new Hono().post('/', async (c) => c.json(await c.req.json()))
const request = (): Request =>
  new Request('http://localhost/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"question":"x"}',
  })

const passages = corpus.map((text, at) => ({ id: `passage-${at}`, documentId: `document-${at % 40}`, text }))
const inProcess = await indexInProcess(passages)
const durable = await indexInWorkerd(passages)

const PARSE: Task = { name: 'parse the evidence from JSON', prepare: () => () => JSON.parse(json) as unknown }
const HONO: Task = {
  name: 'a bare Hono request',
  prepare: () => {
    const one = request()
    return () => app.request(one)
  },
}
const IN_PROCESS: Task = {
  name: 'retrieve, index in process',
  together: 1,
  prepare: () => () => inProcess.retrieve(question),
}
const DURABLE: Task = {
  name: 'retrieve, Durable Object',
  together: 1,
  prepare: () => () => durable.retrieve(question),
}
const KNOCK: Task = { name: 'of it, the way to workerd', together: 1, prepare: () => () => durable.knock() }
const UNREAD: Task = {
  name: 'measure, unread, invented',
  together: 1,
  prepare: () => {
    const evidence = fresh()
    return () => measure(policy, { question, evidence, lexicon, lasting })
  },
}
const REMEMBERED: Task = {
  name: 'measure, remembered, invented',
  prepare: () => {
    // An index also sends new strings.
    const evidence = JSON.parse(json) as Evidence
    return () => measure(policy, { question, evidence, lexicon, lasting })
  },
}
const JUDGE: Task = { name: 'judge', prepare: () => () => judge(policy, signals) }
const AGAINST: readonly Task[] = [PARSE, HONO, IN_PROCESS, DURABLE]
const TASKS: readonly Task[] = [...AGAINST, KNOCK, UNREAD, REMEMBERED, JUDGE]

/** Microseconds by name, one value per round. */
const costs = new Map<string, number[]>()
function keep(name: string, cost: number): void {
  const kept = costs.get(name)
  if (kept === undefined) costs.set(name, [cost])
  else kept.push(cost)
}
const costOf = ({ name }: { readonly name: string }): readonly number[] => costs.get(name) ?? []

const ENGLISH: Readonly<Record<keyof EnglishCosts, string>> = {
  unread: 'measure, unread, English',
  remembered: 'measure, remembered, English',
  first: 'measure, first of an isolate',
}

// All tasks take turns in every round, so that a slowdown affects all; the first round is a warm-up.
const english = englishDecisions()
try {
  for (let round = 0; round <= ROUNDS; round++) {
    for (const task of TASKS) {
      const cost = await timed(task)
      if (round > 0) keep(task.name, cost)
    }
    const decided = round > 0 ? await english?.() : undefined
    if (decided === undefined) continue
    for (const [kind, name] of Object.entries(ENGLISH)) keep(name, decided[kind as keyof EnglishCosts])
  }
} finally {
  await durable.close()
}
console.log(
  `ten chunks of 150 words, lexicon and index of 1,000 chunks, seed ${SEED}; medians over ${ROUNDS} rounds of ${BATCHES} batches\n`,
)
if (english === undefined) console.log('no English: ../shared/data is not there\n')
console.log(`${'what'.padEnd(30)}       µs  of parsing    of Hono in process     Object`)
for (const [name, own] of costs) {
  const ratios = AGAINST.map((other) => median(own.map((cost, round) => cost / costOf(other)[round]!)))
  const cells = ratios.map((ratio) => (ratio < 0.001 ? '<0.001' : ratio.toPrecision(2)).padStart(10))
  console.log(`${name.padEnd(30)} ${median(own).toFixed(1).padStart(8)}  ${cells.join(' ')}`)
}

console.log(
  '\nmeasuring and judging, in % of a retrieval from the Durable Object: median (lowest to highest of the rounds)',
)
for (const name of [UNREAD.name, REMEMBERED.name, ENGLISH.unread, ENGLISH.remembered]) {
  const own = costs.get(name)
  if (own === undefined) continue
  const share = (of: (round: number) => number): string =>
    printed(spreadOf(own.map((cost, round) => (100 * (cost + costOf(JUDGE)[round]!)) / of(round))))
  const whole = share((round) => costOf(DURABLE)[round]!)
  const there = share((round) => costOf(DURABLE)[round]! - costOf(KNOCK)[round]!)
  console.log(`${name.padEnd(30)} ${whole.padEnd(18)} without the way to workerd ${there}`)
}
const deciding = (median(costOf(UNREAD)) + median(costOf(JUDGE))) / 1000
console.log(`\ndeciding, unread: ${deciding.toFixed(2)} ms of a budget of ${BUDGET_MS} ms`)
if (!(deciding <= BUDGET_MS)) process.exitCode = 1

console.log(`\n${'lexicon of'.padEnd(16)} terms     bytes    gzip`)
for (const chunks of [600, 5000, 50_000]) {
  const texts = Array.from({ length: chunks }, () => passage(130))
  const made = buildLexicon(texts, language)
  const text = encodeLexicon(made)
  const sizes = [made.documentFrequency.size, Buffer.byteLength(text), gzipSync(text).length]
  console.log(`${`${chunks} chunks`.padEnd(16)} ${sizes.map((size) => String(size).padStart(7)).join('  ')}`)
}
