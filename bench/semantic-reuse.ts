/**
 * What reuse of answers by meaning gives and costs: of pairs of questions that ask the same in other words the share that
 * is recognised, and of pairs that ask something else the share that is wrongly taken for the same; by cosine alone, with
 * the guard, and with the evidence of both retrieved and judged by `gateQuestion`. Printed as tables for
 * docs/reference/semantic-reuse.md.
 *
 *   npm run bench:semantic
 *
 * The threshold is the lowest that holds the goal on one half of the articles, and is shown on the other half. Another
 * embedder needs another: put it in the place of `embedded`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryAnswerCache } from '../src/adapters/memory-answer-cache.ts'
import { binomialInterval } from '../src/core/calibration/binomial-interval.ts'
import { questionDifference } from '../src/core/text/question-difference.ts'
import { normaliseQuestion } from '../src/core/text/normalise.ts'
import { gatedPast } from '../test/fixtures/cached-question.ts'
import type { QuestionSettings } from '../src/pipeline/question-settings.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { embed, termFrequencies } from '../src/vector-index/embed/embedder.ts'
import { asked, portsOver } from './evaluation/asked.ts'
import { openQuestionSet } from './evaluation/question-sets.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_122
/** The goal, and the grid on which the lowest threshold that holds it is looked for. */
const LEAST_PRECISION = 0.95
const MOST_WRONG = 0.02
const GRID = Array.from({ length: 50 }, (_, at) => (50 + at) / 100)

interface PairLine {
  readonly a: string
  readonly b: string
  readonly duplicate: 0 | 1
}

/** A pair, and what decides about it. */
interface Pair {
  readonly same: boolean
  /** The article, where it is known. */
  readonly group: string
  readonly cosine: number
  readonly guarded: boolean
  /** Whether both found the same passages and were judged alike; absent where the passage is not in the corpus. */
  readonly sameEvidence?: boolean
}

/** The hash embedder of the embedded index. Its vectors have unit length. */
const embedded = (question: string): Float32Array => embed(termFrequencies(question))

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0)
}

const SETTINGS: QuestionSettings = {
  policy: () => balanced(),
  mode: 'enforce',
  rules: [],
  retrieval: {
    topK: Number(process.argv[2] ?? 10),
    candidates: 10,
    fusion: 'convex',
    fusionWeights: {},
    rrfK: 60,
    timeoutMs: 60_000,
    rerankTimeoutMs: 60_000,
  },
  context: { maxCharacters: 12_000 },
}

const { lexicon, search, questions } = openQuestionSet('squad-ooc')
const indexed = new Map<string, string>()
const articles = new Map<string, string>()
const spelled = (question: string): string => normaliseQuestion(question).toLowerCase()
for (const { question, group, answerable } of questions) {
  articles.set(spelled(question), group)
  if (answerable) indexed.set(spelled(question), group)
}
for (const { question, group } of openQuestionSet('squad-adv').questions) {
  articles.set(spelled(question), group)
  indexed.set(spelled(question), group)
}

/** Whether an answer to the first would be found for the second, if nothing but the evidence were asked. */
async function findsSameEvidence(first: string, second: string): Promise<boolean> {
  const options = { store: createMemoryAnswerCache(), reuse: { isSameQuestion: async () => true } }
  const ports = portsOver({ lexicon, search })
  const { gated, cache } = await gatedPast(options, ports, SETTINGS, asked(first))
  const key = cache.keptUnder?.anyQuestionKey
  if (gated.kind !== 'judged' || key === undefined) return false
  await options.store.put(key, {
    schema: 2,
    key,
    question: first,
    requestedAtMs: 0,
    lifetimeSeconds: 3600,
    ageSeconds: 0,
    status: 200,
    headers: [],
    body: '{}',
    decision: gated.decision,
    principalId: 'bench',
    purgeEpoch: 0,
  })
  return (await gatedPast(options, ports, SETTINGS, asked(second))).gated.kind === 'cached'
}

async function readPairs(form: (question: string) => string): Promise<Pair[]> {
  const path = join(import.meta.dirname, '..', '..', 'shared', 'data', 'cache-squad', 'pairs.jsonl')
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const pairs: Pair[] = []
  for (const line of lines) {
    const { a, b, duplicate } = JSON.parse(line) as PairLine
    const [one, other] = [normaliseQuestion(form(a)), normaliseQuestion(form(b))]
    const article = indexed.get(spelled(a))
    pairs.push({
      same: duplicate === 1,
      group: articles.get(spelled(a)) ?? spelled(a),
      cosine: cosine(embedded(one), embedded(other)),
      guarded: questionDifference(one, other) === undefined,
      ...(article === undefined ? {} : { sameEvidence: await findsSameEvidence(one, other) }),
    })
  }
  return pairs
}

/** Hits among pairs: right ones of those that are the same, wrong ones of those that are not. */
function counts(pairs: readonly Pair[], isHit: (pair: Pair) => boolean) {
  const [same, other] = [pairs.filter((pair) => pair.same), pairs.filter((pair) => !pair.same)]
  const [right, wrong] = [same.filter(isHit).length, other.filter(isHit).length]
  return { right, wrong, same: same.length, other: other.length }
}

function share(hits: number, n: number): string {
  const { low, high } = binomialInterval(hits, n)
  const figure = (value: number): string => value.toFixed(3).replace(/^0/, '')
  return `${figure(hits / n)} (${figure(low)}–${figure(high)}), n = ${n}`
}

function row(name: string, pairs: readonly Pair[], isHit: (pair: Pair) => boolean): string[] {
  const { right, wrong, same, other } = counts(pairs, isHit)
  return [name, share(right, right + wrong), share(right, same), share(wrong, other)]
}

/** The lowest threshold that holds the goal on these pairs; none may. */
function thresholdFor(pairs: readonly Pair[], passes: (pair: Pair) => boolean): number | undefined {
  return GRID.find((atLeast) => {
    const { right, wrong, other } = counts(pairs, (pair) => passes(pair) && pair.cosine >= atLeast)
    return right / (right + wrong) >= LEAST_PRECISION && wrong / other <= MOST_WRONG
  })
}

/** Two halves of the articles; a question whose article is not known is one of its own. */
function halvesOf(pairs: readonly Pair[]): readonly [Pair[], Pair[]] {
  const random = seededRandom(SEED)
  const groups = [...new Set(pairs.map(({ group }) => group))].sort()
  const first = new Set(groups.filter(() => random() < 0.5))
  return [pairs.filter(({ group }) => first.has(group)), pairs.filter(({ group }) => !first.has(group))]
}

const HEAD = ['hits when', 'precision', 'recall', 'wrong hits']
const GUARDS: readonly (readonly [string, (pair: Pair) => boolean])[] = [
  ['cosine', () => true],
  ['guard and cosine', ({ guarded }) => guarded],
  ['evidence and cosine', ({ sameEvidence }) => sameEvidence === true],
  ['evidence, guard and cosine', ({ guarded, sameEvidence }) => guarded && sameEvidence === true],
]

for (const [form, pairs] of [
  ['as written', await readPairs((question) => question)],
  ['in small letters', await readPairs((question) => question.toLowerCase())],
] as const) {
  const halves = halvesOf(pairs)
  const withPassage = pairs.filter(({ sameEvidence }) => sameEvidence !== undefined)
  const evidence = row('the same evidence alone', withPassage, ({ sameEvidence }) => sameEvidence === true)
  console.log(`\nQuestions ${form}, ${SETTINGS.retrieval.topK} passages judged\n\n${markdownTable(HEAD, [evidence])}`)
  for (const [name, passes] of GUARDS) {
    const rows: string[][] = []
    for (const [at, half] of halves.entries()) {
      const known = (some: readonly Pair[]): readonly Pair[] =>
        name.startsWith('evidence') ? some.filter(({ sameEvidence }) => sameEvidence !== undefined) : some
      const found = thresholdFor(known(half), passes)
      const others = known(halves[1 - at]!)
      if (found === undefined) rows.push([`${name}: no threshold holds the goal on half ${at + 1}`, '', '', ''])
      else {
        const isHit = (pair: Pair): boolean => passes(pair) && pair.cosine >= found
        rows.push(row(`${name} ≥ ${found}, found on half ${at + 1}`, others, isHit))
      }
    }
    const fixed = [0.85, 0.9, 0.95].map((atLeast) =>
      row(
        `${name} ≥ ${atLeast}, all pairs`,
        name.startsWith('evidence') ? withPassage : pairs,
        (pair) => passes(pair) && pair.cosine >= atLeast,
      ),
    )
    console.log(`\n${markdownTable(HEAD, [...rows, ...fixed])}`)
  }
}
