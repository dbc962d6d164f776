/**
 * What it saves and changes to send only the uncertain middle to a reranker.
 *
 *   npm run bench -- cascades
 *
 * The reranker is simulated: it knows the labels, grades the passages that answer, and is wrong about a set share of
 * the questions, drawn with a fixed seed. Every question goes through the gate without the reranker, with a correct one
 * and with a wrong one; `balanced` is fitted without the set.
 */
import { reranking } from '../src/pipeline/reranking.ts'
import { binomialInterval } from '../packages/calibration/src/binomial-interval.ts'
import { isRefusedByQuestionGate } from '../packages/ingest/src/learn-scale.ts'
import { uncertainMiddle } from '../packages/calibration/src/uncertain-middle.ts'
import type { Decision } from '../src/core/policy/decision.ts'
import { meanOf } from '../src/core/lib/statistics.ts'
import { definePolicy, type Policy } from '../src/core/policy/policy.ts'
import { balancedGraded } from '../src/presets/balanced/balanced-graded.ts'
import { calibratedWithReader } from './calibration/with-reader.ts'
import { balancedWithoutEach, benchGate, type BenchGateOptions } from './evaluation/bench-gate.ts'
import { FAMILY_SETS, haveQuestionSets, openQuestionSet } from './evaluation/question-sets.ts'
import { standInReader } from './evaluation/stand-in-reader.ts'
import { boundsByScale, ownWindows, type ReadFamily, type ReadQuestion } from './cascades/points-of-the-scale.ts'
import { markdownTable } from './markdown-table.ts'
import { seededRandom } from './seeded-random.ts'

const SEED = 20_261_122
/** The larger sets are sampled. */
const EVERY: Readonly<Record<string, number>> = {
  'squad-ooc': 20,
  clapnq: 2,
  'covid-qa': 4,
  'scifact-missing': 4,
}
/** Shares of questions that the reranker is wrong about. */
const ERRORS = [0, 0.1, 0.2, 0.3]
/** Number of labels of each kind for setting bounds, the guarantee, and the number of draws. */
const LABELS = 100
const PROMISED = { risk: 0.05, certainty: 0.9 } as const
const DRAWS = 20

/** Range of confidences in which the reranker is called. */
type Middle = readonly [from: number, below: number]
const USUAL: Middle = [0.1, 0.95]
const MIDDLES: Readonly<Record<string, Middle>> = {
  // Above 1, because a confidence may be 1.
  always: [0, 2],
  '0.05 to 0.98': [0.05, 0.98],
  '0.1 to 0.95': USUAL,
  '0.2 to 0.9': [0.2, 0.9],
  never: [2, 2],
}

/** A question judged lexically, and with a reranker. */
interface Judged {
  readonly answerable: boolean
  readonly confidence: number
  readonly byWords: boolean
  readonly byReader: boolean
}

/** The effect of a range on some questions. */
interface Outcome {
  readonly saved: number
  readonly changed: number
  readonly falseAcceptance: number
  readonly falseRefusal: number
}

/** Judges by grades if there are any, otherwise lexically with the default thresholds. */
function graded({ confidence }: Policy): Policy {
  return definePolicy({ ...balancedGraded(), confidence })
}

/** A judged set. */
interface JudgedSet {
  readonly name: string
  /** By error rate. */
  readonly judged: ReadonlyMap<number, readonly Judged[]>
  readonly questions: readonly ReadQuestion[]
}

/** The questions of a set, judged lexically and by rerankers with these error rates. */
async function judgedSet(name: string, general: Policy): Promise<JudgedSet> {
  const set = openQuestionSet(name, { every: EVERY[name] ?? 1 })
  const policy = graded(general)
  const verdictsBy = async (options: BenchGateOptions) => {
    const ask = benchGate(set, { policy, ...options })
    const found: Decision[] = []
    for (const { question } of set.questions) found.push((await ask(question)).decision)
    return found
  }
  const words = await verdictsBy({})
  const [right, wrong] = [
    await verdictsBy({ reranker: reranking(standInReader(set.questions, 0, SEED)) }),
    await verdictsBy({ reranker: reranking(standInReader(set.questions, 1, SEED)) }),
  ]
  const judged = new Map<number, readonly Judged[]>()
  for (const errors of ERRORS) {
    const random = seededRandom(SEED)
    const read = set.questions.map((_, at) => (random() < errors ? wrong : right)[at]!)
    judged.set(
      errors,
      set.questions.map(({ answerable }, at) => ({
        answerable,
        confidence: words[at]!.confidence,
        byWords: words[at]!.verdict !== 'refuse',
        byReader: read[at]!.verdict !== 'refuse',
      })),
    )
  }
  const questions = set.questions.map(({ answerable }, at) => ({
    answerable,
    confidence: isRefusedByQuestionGate(policy, words[at]!) ? 0 : words[at]!.confidence,
    byReader: [right[at]!.verdict !== 'refuse', wrong[at]!.verdict !== 'refuse'] as const,
  }))
  return { name, judged, questions }
}

function outcomeOf(questions: readonly Judged[], [from, below]: Middle): Outcome {
  const isSpared = ({ confidence }: Judged): boolean => confidence < from || confidence >= below
  const isAnswered = (question: Judged): boolean => (isSpared(question) ? question.byWords : question.byReader)
  const share = (of: readonly Judged[], is: (question: Judged) => boolean): number =>
    meanOf(of.map((question) => (is(question) ? 1 : 0)))
  const kind = (answerable: boolean) => questions.filter((question) => question.answerable === answerable)
  return {
    saved: share(questions, isSpared),
    changed: share(questions, (question) => isAnswered(question) !== question.byReader),
    falseAcceptance: share(kind(false), isAnswered),
    falseRefusal: share(kind(true), (question) => !isAnswered(question)),
  }
}

/** Bounds from drawn labels of each kind, counted on the questions that were not drawn. */
function fromLabels(questions: readonly Judged[]): Outcome & { readonly from: number; readonly below: number } {
  const random = seededRandom(SEED)
  const drawn = Array.from({ length: DRAWS }, () => {
    const mixed = questions.map((question) => ({ question, by: random() })).sort((one, other) => one.by - other.by)
    const kinds = [true, false].map((kind) => mixed.filter(({ question }) => question.answerable === kind))
    const count = Math.min(LABELS, ...kinds.map(({ length }) => Math.floor(length / 2)))
    const labels = kinds.flatMap((kind) => kind.slice(0, count)).map(({ question }) => question)
    const middle = uncertainMiddle(labels, PROMISED) ?? [1, 1]
    const others = kinds.flatMap((kind) => kind.slice(count)).map(({ question }) => question)
    return { ...outcomeOf(others, middle), from: middle[0], below: middle[1] }
  })
  const mean = (name: keyof (typeof drawn)[number]): number => meanOf(drawn.map((each) => each[name]))
  return {
    saved: mean('saved'),
    changed: mean('changed'),
    falseAcceptance: mean('falseAcceptance'),
    falseRefusal: mean('falseRefusal'),
    from: mean('from'),
    below: mean('below'),
  }
}

const figure = (value: number): string => value.toFixed(3)
const error = ({ falseAcceptance, falseRefusal }: Outcome): number => (falseAcceptance + falseRefusal) / 2

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const policies = balancedWithoutEach()
const sets: JudgedSet[] = []
for (const name of FAMILY_SETS) sets.push(await judgedSet(name, policies.get(name)!))
const families: ReadFamily[] = []
for (const { name, questions } of sets) {
  families.push({ questions, windows: await ownWindows(name, policies.get(name)!) })
}
const count = sets.reduce((sum, { judged }) => sum + judged.get(0)!.length, 0)
const rows = ERRORS.flatMap((errors) => {
  const of = (outcome: (questions: readonly Judged[]) => Outcome) =>
    sets.map(({ judged }) => outcome(judged.get(errors)!))
  const ways = {
    ...Object.fromEntries(
      Object.entries(MIDDLES).map(([name, middle]) => [name, of((questions) => outcomeOf(questions, middle))]),
    ),
    'from labels': of(fromLabels),
  }
  return Object.entries(ways).map(([name, outcomes]) => {
    const mean = (value: (outcome: Outcome) => number): string => figure(meanOf(outcomes.map(value)))
    return [
      String(errors),
      name,
      mean(({ saved }) => saved),
      mean(({ changed }) => changed),
      mean(({ falseAcceptance }) => falseAcceptance),
      mean(({ falseRefusal }) => falseRefusal),
      mean(error),
    ]
  })
})
const bySet = sets.map(({ name, judged }) => {
  const questions = judged.get(0.1)!
  const [always, usual, labelled] = [
    outcomeOf(questions, MIDDLES['always']!),
    outcomeOf(questions, USUAL),
    fromLabels(questions),
  ]
  const { low, high } = binomialInterval(Math.round(usual.saved * questions.length), questions.length)
  return [
    name,
    String(questions.length),
    `${figure(usual.saved)} (${low.toFixed(2)}–${high.toFixed(2)})`,
    `${figure(error(always))} → ${figure(error(usual))}`,
    `${labelled.from.toFixed(2)} to ${labelled.below.toFixed(2)}`,
    figure(labelled.saved),
    figure(error(labelled)),
  ]
})
const calibrated: string[][] = []
for (const middle of [undefined, USUAL]) calibrated.push(...(await calibratedWithReader(policies, 0.1, SEED, middle)))
console.log(`${count} questions of ${FAMILY_SETS.length} families, ${DRAWS} draws of labels\n`)
const heads = ['errors of the reader', 'asked', 'calls saved', 'verdicts changed', 'false acceptance', 'false refusal']
console.log(markdownTable([...heads, 'mean error'], rows))
const ofSet = [
  'set',
  'n',
  'saved by 0.1 to 0.95',
  'mean error: always → so',
  'bounds from labels, mean',
  'saved',
  'mean error',
]
console.log(`\nWith errors of 0.1:\n\n${markdownTable(ofSet, bySet)}\n`)
const ofBounds = [
  'errors',
  'calls saved by the others',
  'bounds',
  'saved',
  'mean error',
  'families with less than the other',
]
const byScale = [0.1, 0.2].flatMap((errors) => boundsByScale(families, errors))
console.log(`Bounds chosen on the other seven families:\n\n${markdownTable(ofBounds, byScale)}\n`)
const columns = ['errors', 'asked', 'read', 'labels', 'fitted', 'realised', 'exceeded', 'coverage']
console.log(markdownTable(columns, calibrated))
