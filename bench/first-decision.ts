/**
 * `npm run bench -- first-decision [-- samples]`: what the gate adds to the start of an isolate, and to its first
 * request.
 *
 * Each sample is a new workerd process that answers one request, alternately with and without the gate, in separate
 * Workers. The default policy judges ten passages of about a thousand characters; retrieval takes no time, or 20 ms in
 * both. Time is measured by the client, from the request to the complete response; CPU time is that of the workerd
 * process over all threads, for the start since the process began. Reports medians with bootstrap intervals of their
 * difference.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { docsCorpus } from '../scripts/docs-corpus.ts'
import { ROOT } from '../scripts/local-gate.ts'
import { inWorkerd, bundleScript } from '../scripts/in-workerd.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'
import { workerdCpuMs } from './workerd-cpu.ts'

/** Number of bootstrap resamples. */
const DRAWS = 2000

const ROUTES = ['bare', 'gated'] as const
type Route = (typeof ROUTES)[number]
const RETRIEVALS_MS = [0, 20] as const

/** Measurements of a process's start and of its first request. */
interface Sample {
  readonly startCpuMs: number
  readonly wallMs: number
  readonly cpuMs: number
}

/** Reported measurements, with their names. */
const MEASURES = [
  ['startCpuMs', 'start, CPU time'],
  ['wallMs', 'first request, time'],
  ['cpuMs', 'first request, CPU time'],
] as const

/** Paragraphs of the docs; the first answers the question. */
const QUESTION = 'How long are strong answers kept in the cache?'
const ANSWER = 'Strong answers are kept in the cache for 6 to 24 hours: the more confident, the longer.'
const PASSAGE_CHARACTERS = 1000

const passages = docsCorpus()
  .slice(0, 10)
  .map(({ id, text }, at) => {
    const from = Math.floor((text.length - PASSAGE_CHARACTERS) / 2)
    const cut = text.slice(from, from + PASSAGE_CHARACTERS)
    return { id, documentId: id, text: at === 0 ? `${ANSWER} ${cut}` : cut }
  })

const samples = Number(process.argv[2] ?? 40)
const directory = mkdtempSync(join(tmpdir(), 'hono-rag-gate-first-'))
try {
  for (const route of ROUTES) await bundleScript(join(ROOT, `bench/first-decision/${route}.ts`), scriptOf(route))
  const taken = RETRIEVALS_MS.map((): Record<Route, Sample[]> => ({ bare: [], gated: [] }))
  // The first sample of each warms up client and disk.
  for (let at = 0; at <= samples; at++) {
    for (const [kind, retrievalMs] of RETRIEVALS_MS.entries()) {
      for (const route of at % 2 === 0 ? ROUTES : ROUTES.toReversed()) {
        const sample = await firstRequest(route, retrievalMs)
        if (at > 0) taken[kind]![route].push(sample)
      }
    }
  }
  report(taken)
} finally {
  rmSync(directory, { recursive: true })
}

function scriptOf(route: Route): string {
  return join(directory, `${route}.js`)
}

async function firstRequest(route: Route, retrievalMs: number): Promise<Sample> {
  const miniflare = inWorkerd(scriptOf(route), { PASSAGES: passages, RETRIEVAL_MS: retrievalMs })
  try {
    const url = await miniflare.ready
    const startCpuMs = workerdCpuMs()
    const startedMs = performance.now()
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: QUESTION }),
    })
    const { sources } = (await response.json()) as { sources: readonly string[] }
    const wallMs = performance.now() - startedMs
    const verdict = response.headers.get('rag-gate')?.split(';')[0]
    if (sources.length !== passages.length || (verdict !== undefined) !== (route === 'gated')) {
      throw new Error(`${route} answered ${response.status}, ${verdict}`)
    }
    return { startCpuMs, wallMs, cpuMs: workerdCpuMs() - startCpuMs }
  } finally {
    await miniflare.dispose()
  }
}

function report(taken: readonly Record<Route, Sample[]>[]): void {
  const rows = taken.flatMap((kind, at) =>
    MEASURES.map(([measure, named]) => {
      const bare = kind.bare.map((sample) => sample[measure])
      const gated = kind.gated.map((sample) => sample[measure])
      const [low, high] = intervalOfDifference(bare, gated)
      const difference = `${(median(gated) - median(bare)).toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`
      return [
        `${named}, retrieval ${RETRIEVALS_MS[at]} ms`,
        median(bare).toFixed(1),
        median(gated).toFixed(1),
        difference,
      ]
    }),
  )
  console.log(markdownTable(['an isolate, ms', 'bare', 'gated', 'the gate adds (95 %)'], rows))
  console.log(`\nMedians over ${samples} fresh isolates of each kind.`)
}

function intervalOfDifference(bare: readonly number[], gated: readonly number[]): [number, number] {
  const random = seededRandom(1)
  const draw = (values: readonly number[]): number =>
    median(values.map(() => values[Math.floor(random() * values.length)] ?? NaN))
  const drawn = Array.from({ length: DRAWS }, () => draw(gated) - draw(bare)).sort((a, b) => a - b)
  return [drawn[Math.floor(DRAWS * 0.025)] ?? NaN, drawn[Math.floor(DRAWS * 0.975)] ?? NaN]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
