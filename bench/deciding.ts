/**
 * What deciding costs: measuring and judging ten chunks of about 150 words, beside parsing the same evidence from JSON and
 * beside a bare Hono request, as ratios of one run; and how large a collection lexicon is.
 *
 *   npm run bench:deciding
 *
 * Texts are drawn with a fixed seed from a vocabulary whose word frequencies fall as in real text, so that the figures
 * need no data set. "Cold" texts were never read before; "warm" ones are remembered from an earlier question.
 */
import { Hono } from 'hono'
import { gzipSync } from 'node:zlib'
import { buildLexicon, encodeLexicon } from '../src/core/lexicon.ts'
import { measure } from '../src/core/measure.ts'
import { judge } from '../src/core/policy.ts'
import { balanced } from '../src/core/profiles/balanced.ts'
import type { Evidence } from '../src/core/evidence.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_122
const ROUNDS = 15
const PER_ROUND = 200
const random = seededRandom(SEED)

/** A word of the vocabulary; low ranks are common. Zipf's law: rank r has a share in proportion to 1 / r. */
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

const evidenceOf = (texts: readonly string[]): Evidence => ({
  rankedBy: 'convex',
  kinds: ['cosine', 'bm25'],
  dropped: 0,
  chunks: texts.map((text, at) => ({
    id: `chunk-${at}`,
    documentId: `document-${at % 4}`,
    title: 'Title of a document',
    text,
    scores: { cosine: 0.6 - at * 0.03, bm25: 12 - at, convex: 0.5 - at * 0.02 },
  })),
})

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** Microseconds of one call, the median over rounds; `prepare` is not timed. */
async function microseconds<Prepared>(prepare: () => Prepared, work: (prepared: Prepared) => unknown): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const prepared = Array.from({ length: PER_ROUND }, prepare)
    const startedMs = performance.now()
    for (const one of prepared) {
      const made = work(one)
      if (made instanceof Promise) await made
    }
    rounds.push(((performance.now() - startedMs) * 1000) / PER_ROUND)
  }
  return median(rounds)
}

const corpus = Array.from({ length: 1000 }, () => passage(150))
const lexicon = buildLexicon(corpus)
const policy = balanced()
const question = `When did ${word()} ${word()} ${word()} ${word()}?`
const fresh = (): Evidence => evidenceOf(Array.from({ length: 10 }, () => passage(150)))
const known = fresh()
const json = JSON.stringify(known)
const signals = measure(question, known, lexicon)
const app = new Hono().post('/', async (c) => c.json(await c.req.json()))
const request = (): Request =>
  new Request('http://localhost/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"question":"x"}',
  })

const costs: Readonly<Record<string, number>> = {
  'parse the evidence from JSON': await microseconds(
    () => json,
    (text) => JSON.parse(text),
  ),
  'a bare Hono request': await microseconds(request, (one) => app.request(one)),
  'measure, cold': await microseconds(fresh, (evidence) => measure(question, evidence, lexicon)),
  'measure, warm': await microseconds(
    () => known,
    (evidence) => measure(question, evidence, lexicon),
  ),
  judge: await microseconds(
    () => signals,
    (measured) => judge(policy, measured),
  ),
}
const parse = costs['parse the evidence from JSON'] ?? NaN
const hono = costs['a bare Hono request'] ?? NaN
console.log(
  `ten chunks of 150 words, lexicon of 1,000 chunks, seed ${SEED}; medians of ${ROUNDS} rounds of ${PER_ROUND} calls\n`,
)
console.log(`${'what'.padEnd(30)} µs      of parsing   of a bare Hono request`)
for (const [name, cost] of Object.entries(costs)) {
  console.log(
    `${name.padEnd(30)} ${cost.toFixed(1).padStart(6)}  ${(cost / parse).toFixed(2).padStart(9)}   ${(cost / hono).toFixed(2).padStart(9)}`,
  )
}

console.log(`\n${'lexicon of'.padEnd(16)} terms     bytes    gzip`)
for (const chunks of [600, 5000, 50_000]) {
  const made = buildLexicon({
    *[Symbol.iterator]() {
      for (let at = 0; at < chunks; at++) yield passage(130)
    },
  })
  const text = encodeLexicon(made)
  const sizes = [made.documentFrequency.size, Buffer.byteLength(text), gzipSync(text).length]
  console.log(`${`${chunks} chunks`.padEnd(16)} ${sizes.map((size) => String(size).padStart(7)).join('  ')}`)
}
