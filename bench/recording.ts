/**
 * `npm run bench -- recording [-- rounds]`: the cost of recording decisions, in workerd, with the local D1.
 *
 * The same route twice without a log, with the log, and with the log over a database that takes five seconds. In every
 * round each is loaded as fast as it answers, for requests per second, and at a rate that all can keep up with, for the
 * 99th percentile; they take turns, each round starts with a different one, and routes are compared with the one
 * without a log in the same round. The two without a log show how precise differences are; the CPU time per request,
 * which needs Linux, depends least on other load. Then events per second through the store in batches of 100 compared
 * with single ones, and rows written per event.
 */
import { setTimeout } from 'node:timers/promises'
import type { D1Database } from '@cloudflare/workers-types'
import { createD1DecisionStore } from '../src/adapters/d1/decision-store.ts'
import type { NumberedEvent } from '../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../test/fixtures/decision.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { CONNECTIONS, load, median, OFF_TOPIC, type Route, SECONDS, serveOverhead, STRONG } from './overhead-site.ts'
import { bootstrapInterval, mean } from './retrieval/ranks.ts'
import { workerdCpuMs } from './workerd-cpu.ts'
import { markdownTable } from './markdown-table.ts'

const LOGS = {
  '/gated': 'none',
  '/gated-twin': 'none, the twin',
  '/gated-recorded': 'D1',
  '/gated-slow-log': 'a D1 that takes 5 s',
} as const
type Path = keyof typeof LOGS
// The keys are those of the object itself.
const PATHS = Object.keys(LOGS) as Path[]
const QUESTIONS = [
  ['passes', STRONG, 'pass'],
  ['refuses', OFF_TOPIC, 'refuse'],
] as const
/** Requests per second that every route can keep up with. */
const STEADY = 50
const EVENTS = 2_000
const BATCH = 100
const SINGLES = 400
const SETTLED_MS = 1_500

interface Turn {
  readonly perSecond: number
  /** CPU time per request of workerd and its D1, including the writes, milliseconds. */
  readonly cpuMs: number
  /** Milliseconds, at the steady rate. */
  readonly p50: number
  readonly p99: number
}

const rounds = Number(process.argv[2] ?? 7)
const site = await serveOverhead()
try {
  console.log(
    `${rounds} rounds of ${SECONDS} s for each figure, ${CONNECTIONS} connections, percentiles at ${STEADY} requests a second; means, with 95 % intervals`,
  )
  const rows: string[][] = []
  for (const [name, question, verdict] of QUESTIONS) rows.push(...(await compared(name, question, verdict)))
  console.log(
    markdownTable(
      ['question', 'log', 'req/s', 'of no log', 'CPU ms', 'of no log', 'p50 ms', 'p99 ms', 'added to p99, ms'],
      rows,
    ),
  )
  // Miniflare returns a D1 database under its own type.
  await pipeline((await site.miniflare.getD1Database('DB')) as unknown as D1Database)
} finally {
  await site.close()
}

async function compared(name: string, question: string, verdict: 'pass' | 'refuse'): Promise<string[][]> {
  const routes = PATHS.map((path) => ({ name: `${path} ${name}`, path, question, verdict }))
  const turns = new Map<Path, Turn[]>(PATHS.map((path) => [path, []]))
  for (let round = 0; round <= rounds; round++) {
    for (let at = 0; at < routes.length; at++) {
      const route = routes[(at + round) % routes.length]!
      const turn = await measure(route)
      // The first round is a warm-up.
      if (round > 0) turns.get(route.path)?.push(turn)
    }
  }
  const without = turns.get('/gated') ?? []
  return PATHS.map((path) => {
    const own = turns.get(path) ?? []
    const ratios = own.map(({ perSecond }, at) => perSecond / (without[at]?.perSecond ?? NaN))
    const spent = own.map(({ cpuMs }, at) => cpuMs / (without[at]?.cpuMs ?? NaN))
    const added = own.map(({ p99 }, at) => p99 - (without[at]?.p99 ?? NaN))
    return [
      name,
      LOGS[path],
      mean(own.map(({ perSecond }) => perSecond)).toFixed(0),
      path === '/gated' ? '1' : withInterval(ratios, 2),
      mean(own.map(({ cpuMs }) => cpuMs)).toFixed(2),
      path === '/gated' ? '1' : withInterval(spent, 2),
      mean(own.map(({ p50 }) => p50)).toFixed(1),
      mean(own.map(({ p99 }) => p99)).toFixed(1),
      path === '/gated' ? '0' : withInterval(added, 1),
    ]
  })
}

async function measure(route: Route): Promise<Turn> {
  const before = workerdCpuMs()
  const fast = await load(site.url, route)
  // Waits until the log is written, before the next load.
  await setTimeout(SETTLED_MS)
  const cpuMs = (workerdCpuMs() - before) / fast.requests.total
  const steady = await load(site.url, route, STEADY)
  await setTimeout(SETTLED_MS)
  return { perSecond: fast.requests.average, cpuMs, p50: steady.latency.p50, p99: steady.latency.p99 }
}

function withInterval(values: readonly number[], digits: number): string {
  const { low, high } = bootstrapInterval(values)
  return `${mean(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`
}

async function pipeline(db: D1Database): Promise<void> {
  const meter = metered(db)
  const store = createD1DecisionStore({ db: meter.db })
  const batched: number[] = []
  const single: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const events = someEvents(`batched-${round}`, EVENTS)
    meter.reset()
    const inBatches = await perSecond(EVENTS, async () => {
      for (let at = 0; at < EVENTS; at += BATCH) await store.write(events.slice(at, at + BATCH))
    })
    const written = meter.rowsWritten()
    meter.reset()
    const oneByOne = await perSecond(SINGLES, async () => {
      for (const event of someEvents(`single-${round}`, SINGLES)) await store.write([event])
    })
    const writtenSingly = meter.rowsWritten()
    if (round === 0) continue
    batched.push(inBatches)
    single.push(oneByOne)
    if (round < rounds) continue
    console.log(
      `rows written for an event, its indexes and counts included: ${written / EVENTS} in batches of ${BATCH}, ` +
        `${writtenSingly / SINGLES} one by one`,
    )
  }
  const ratios = batched.map((rate, at) => rate / (single[at] ?? NaN))
  console.log(
    `${median(batched).toFixed(0)} events a second in batches of ${BATCH}, ${median(single).toFixed(0)} one by one: ` +
      `${median(ratios).toFixed(1)} times (${Math.min(...ratios).toFixed(1)}–${Math.max(...ratios).toFixed(1)}), ${rounds} rounds`,
  )
}

/** Events of one hour and two verdicts. */
function someEvents(name: string, count: number): NumberedEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    event: anEvent(`${name}-${at}`, { decision: aDecision({ verdict: at % 2 === 0 ? 'pass' : 'refuse' }) }),
    isolate: name,
    sequence: at + 1,
  }))
}

async function perSecond(count: number, run: () => Promise<void>): Promise<number> {
  const startedMs = performance.now()
  await run()
  return count / ((performance.now() - startedMs) / 1_000)
}
