/**
 * `npm run bench:recording [-- rounds]`: what recording decisions costs, in workerd, with the local D1.
 *
 * Requests per second with the log against without, taking turns in every round; the same with a database that takes
 * five seconds; rows per second through the store in batches of 100 against one by one; rows written for an event.
 */
import { setTimeout } from 'node:timers/promises'
import type { D1Database } from '@cloudflare/workers-types'
import type autocannon from 'autocannon'
import { createD1DecisionStore } from '../src/adapters/d1/decision-store.ts'
import type { NumberedEvent } from '../src/ports/decision-log.ts'
import { aDecision, anEvent } from '../test/fixtures/decision.ts'
import { metered } from '../test/fixtures/metered-database.ts'
import { CONNECTIONS, load, median, OFF_TOPIC, type Route, SECONDS, serveOverhead, STRONG } from './overhead-site.ts'
import { markdownTable } from './markdown-table.ts'

const PATHS = ['/gated', '/gated-recorded', '/gated-slow-log'] as const
const QUESTIONS = [
  ['passes', STRONG, 'pass'],
  ['refuses', OFF_TOPIC, 'refuse'],
] as const
const EVENTS = 2_000
const BATCH = 100
const SINGLES = 400
const SETTLED_MS = 1_500

const rounds = Number(process.argv[2] ?? 7)
const site = await serveOverhead()
try {
  console.log(`${rounds} rounds of ${SECONDS} s, ${CONNECTIONS} connections; medians, and lowest to highest`)
  const rows: string[][] = []
  for (const [name, question, verdict] of QUESTIONS) rows.push(...(await compared(name, question, verdict)))
  console.log(markdownTable(['question', 'log', 'req/s', 'of no log', 'p50 ms', 'p99 ms'], rows))
  // What miniflare gives is a D1 database, under a type of its own.
  await pipeline((await site.miniflare.getD1Database('DB')) as unknown as D1Database)
} finally {
  await site.close()
}

/** The routes take turns, so that a machine that slows down slows them all. */
async function compared(name: string, question: string, verdict: 'pass' | 'refuse'): Promise<string[][]> {
  const routes = PATHS.map((path): Route => ({ name: `${path} ${name}`, path, question, verdict }))
  const results = new Map<string, autocannon.Result[]>(routes.map(({ path }) => [path, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const route of routes) {
      const result = await load(site.url, route)
      // What the log still holds is written before the next route's turn.
      await setTimeout(SETTLED_MS)
      // The first round warms up.
      if (round > 0) results.get(route.path)?.push(result)
    }
  }
  const without = results.get('/gated') ?? []
  return PATHS.map((path) => {
    const own = results.get(path) ?? []
    const ratios = own.map((result, at) => result.requests.average / (without[at]?.requests.average ?? NaN))
    return [
      name,
      { '/gated': 'none', '/gated-recorded': 'D1', '/gated-slow-log': 'a D1 that takes 5 s' }[path],
      median(own.map(({ requests }) => requests.average)).toFixed(0),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      median(own.map(({ latency }) => latency.p50)).toFixed(0),
      median(own.map(({ latency }) => latency.p99)).toFixed(0),
    ]
  })
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
    const oneByOne = await perSecond(SINGLES, async () => {
      for (const event of someEvents(`single-${round}`, SINGLES)) await store.write([event])
    })
    if (round === 0) continue
    batched.push(inBatches)
    single.push(oneByOne)
    if (round === rounds) console.log(`rows written for an event, its indexes and counts included: ${written / EVENTS}`)
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
