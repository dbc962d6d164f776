/**
 * Real questions through the running Worker: how often refusals and answers are right, with intervals.
 *
 *   npm run bench -- questions [-- questions]
 *
 * Ingests the `squad-ooc` corpus into a new local Worker over HTTP, asks questions (200 by default; half of them
 * answerable, drawn with a fixed seed), asks them again, and compares D1's counts with the requests sent.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, type AskReply, ingest, statistics } from '../packages/cli/src/gate-client.ts'
import { ROOT, startLocalGate } from '../scripts/local-gate.ts'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { seededRandom } from './seeded-random.ts'

const DATA = join(ROOT, '..', 'shared', 'data', 'squad-ooc')
const SEED = 20_261_121
const RECALL_AT = 5

interface Question {
  readonly question: string
  readonly answerable: boolean
  readonly relevant_ids: readonly string[]
}

interface Passage {
  readonly id: string
  readonly title: string
  readonly text: string
}

const readLines = <Row>(name: string): Row[] =>
  readFileSync(join(DATA, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)

function draw(questions: readonly Question[], count: number, random: () => number): Question[] {
  const pool = [...questions]
  return Array.from({ length: Math.min(count, pool.length) }, () => {
    const [taken] = pool.splice(Math.floor(random() * pool.length), 1)
    if (taken === undefined) throw new Error('There are no questions left to draw')
    return taken
  })
}

function rate(name: string, hits: number, trials: number): string {
  const { low, high } = binomialInterval(hits, trials)
  const shown = trials === 0 ? 'n/a' : (hits / trials).toFixed(3)
  return `${name.padEnd(34)} ${shown}   ${hits}/${trials}, 95 % interval ${low.toFixed(3)}–${high.toFixed(3)}`
}

function distribution(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1)
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms`
}

interface Asked {
  readonly question: Question
  readonly reply: AskReply
  readonly ms: number
}

async function askAll(url: string, questions: readonly Question[]): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const question of questions) {
    const before = performance.now()
    const reply = await ask(url, question.question)
    if (reply.status !== 200) throw new Error(`A question was answered with ${reply.status}`)
    asked.push({ question, reply, ms: performance.now() - before })
  }
  return asked
}

function report(first: readonly Asked[], second: readonly Asked[]): void {
  const count = (list: readonly Asked[], holds: (asked: Asked) => boolean): number => list.filter(holds).length
  const answerable = first.filter(({ question }) => question.answerable)
  const unanswerable = first.filter(({ question }) => !question.answerable)
  const refused = ({ reply }: Asked): boolean => reply.body.refused
  console.log(rate('refusal accuracy', count(unanswerable, refused), unanswerable.length))
  console.log(
    rate(
      'false acceptance rate',
      count(unanswerable, (asked) => !refused(asked)),
      unanswerable.length,
    ),
  )
  console.log(
    rate(
      '  of these with a caution',
      count(unanswerable, ({ reply }) => reply.body.verdict === 'advise'),
      unanswerable.length,
    ),
  )
  console.log(rate('false refusal rate', count(answerable, refused), answerable.length))
  console.log(
    rate(
      'answered with a caution',
      count(answerable, ({ reply }) => reply.body.verdict === 'advise'),
      answerable.length,
    ),
  )
  const found = ({ question, reply }: Asked): boolean =>
    (reply.body.detail?.chunks ?? [])
      .slice(0, RECALL_AT)
      .some((chunk) => question.relevant_ids.includes(chunk.document_id))
  console.log(rate(`recall@${RECALL_AT} of the gold passage`, count(answerable, found), answerable.length))
  const hit = ({ reply }: Asked): boolean => reply.headers.get('cache-status')?.includes('; hit') === true
  console.log(rate('cache hits, first pass', count(first, hit), first.length))
  console.log(rate('cache hits, second pass', count(second, hit), second.length))
  console.log(`${'time per question, first pass'.padEnd(34)} ${distribution(first.map(({ ms }) => ms))}`)
  console.log(`${'time per question, second pass'.padEnd(34)} ${distribution(second.map(({ ms }) => ms))}`)
}

if (!existsSync(DATA)) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const wanted = Number(process.argv[2] ?? 200)
const random = seededRandom(SEED)
const all = readLines<Question>('questions.jsonl')
const half = Math.floor(wanted / 2)
const questions = [
  ...draw(
    all.filter(({ answerable }) => answerable),
    half,
    random,
  ),
  ...draw(
    all.filter(({ answerable }) => !answerable),
    half,
    random,
  ),
]
const corpus = readLines<Passage>('corpus.jsonl')

const stateDirectory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-bench-'))
const gate = await startLocalGate({ stateDirectory, port: 8900 })
try {
  const before = performance.now()
  const { documents, corpus_version: version } = await ingest(
    gate.url,
    gate.adminToken,
    corpus.map(({ id, title, text }) => ({ id, title, text, format: 'text' })),
  )
  const chunks = documents.reduce((sum, document) => sum + document.chunks, 0)
  const seconds = ((performance.now() - before) / 1000).toFixed(1)
  console.log(
    `squad-ooc: ${documents.length} passages in ${chunks} chunks ingested in ${seconds} s, corpus version ${version}`,
  )
  console.log(`${questions.length} questions, half of them answerable, seed ${SEED}\n`)

  const first = await askAll(gate.url, questions)
  const second = await askAll(gate.url, questions)
  report(first, second)

  const counted = await statistics<{
    decisions: number
    by_verdict: Record<string, number>
    by_cache: Record<string, number>
  }>(gate.url, gate.adminToken)
  const asked = [...first, ...second]
  const sent = (holds: (asked: Asked) => boolean): number => asked.filter(holds).length
  const checks = [
    ['decisions', counted.decisions, asked.length],
    ...['pass', 'advise', 'refuse'].map((verdict) => [
      verdict,
      counted.by_verdict[verdict],
      sent(({ reply }) => reply.body.verdict === verdict),
    ]),
    [
      'hits',
      counted.by_cache['hit'],
      sent(({ reply }) => reply.headers.get('cache-status')?.includes('; hit') === true),
    ],
  ]
  const differing = checks.filter(([, inD1, received]) => inD1 !== received)
  console.log(
    `\nD1 against what was received: ${checks.map(([name, inD1, received]) => `${name} ${inD1}/${received}`).join(', ')}`,
  )
  console.log(differing.length === 0 ? 'D1 counted exactly what was sent.' : 'D1 did NOT count what was sent.')
  if (differing.length > 0) process.exitCode = 1
} finally {
  await gate.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
}
