/**
 * The overhead of the gate: requests per second and latency of the same question route with and without it, as ratios
 * within one run, in workerd, with the embedded index, D1 and the project's docs as corpus.
 *
 *   npm run bench -- overhead [-- rounds]
 *
 * All routes take turns in every round, so that a slowdown of the machine affects all; a hand-written route occurs
 * twice, and the ratio of the two shows how precise the others are.
 */
import type autocannon from 'autocannon'
import { CONNECTIONS, load, median, OFF_TOPIC, type Route, SECONDS, serveOverhead, STRONG } from './overhead-site.ts'

const ROUTES: readonly Route[] = [
  { name: 'JSON floor', path: '/json', question: STRONG },
  { name: 'hand-written RAG', path: '/hand-written', question: STRONG },
  { name: 'its twin', path: '/hand-written-twin', question: STRONG },
  { name: 'gated, passes', path: '/gated', question: STRONG, verdict: 'pass' },
  { name: 'gated, passes, recorded in D1', path: '/gated-recorded', question: STRONG, verdict: 'pass' },
  { name: 'gated, refuses', path: '/gated', question: OFF_TOPIC, verdict: 'refuse' },
  { name: 'hand-written, off topic', path: '/hand-written', question: OFF_TOPIC },
  { name: 'cache hit, memory', path: '/hit-memory', question: STRONG, verdict: 'pass' },
  { name: 'cache hit, Cache API', path: '/hit-cache-api', question: STRONG, verdict: 'pass' },
]

const rounds = Number(process.argv[2] ?? 5)
const site = await serveOverhead()
try {
  const results = new Map<Route, autocannon.Result[]>(ROUTES.map((route) => [route, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const route of ROUTES) {
      const result = await load(site.url, route)
      // The first round is a warm-up.
      if (round > 0) results.get(route)?.push(result)
    }
  }
  const rates = (path: string, question: string): number[] =>
    (results.get(ROUTES.find((route) => route.path === path && route.question === question) ?? ROUTES[0]!) ?? []).map(
      (result) => result.requests.average,
    )
  const floor = rates('/json', STRONG)
  console.log(
    `${rounds} rounds of ${SECONDS} s, ${CONNECTIONS} connections, ${site.documents} documents; medians over the rounds`,
  )
  console.log(`${'route'.padEnd(32)} req/s   of hand-written (lowest–highest)   of the floor   p50 ms   p99 ms`)
  for (const route of ROUTES) {
    const own = results.get(route) ?? []
    const compared = rates('/hand-written', route.question)
    const ratios = own.map((result, at) => result.requests.average / (compared[at] ?? NaN))
    const toFloor = own.map((result, at) => result.requests.average / (floor[at] ?? NaN))
    const range = `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`
    const rps = median(own.map((result) => result.requests.average)).toFixed(0)
    const p50 = median(own.map((result) => result.latency.p50)).toFixed(0)
    const p99 = median(own.map((result) => result.latency.p99)).toFixed(0)
    console.log(
      `${route.name.padEnd(32)} ${rps.padStart(5)}   ${range.padEnd(32)} ${median(toFloor).toFixed(2).padStart(12)}   ${p50.padStart(6)}   ${p99.padStart(6)}`,
    )
  }
} finally {
  await site.close()
}
