/**
 * A scale learned from documents alone, held against labelled questions, written to docs/scale.md.
 *
 *   npm run bench -- evaluation/evaluate-scale
 *
 * `balanced` is fitted without the family that it is measured on. Windows, and the simulated scores of meaning, are drawn with
 * fixed seeds.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auroc } from '../../packages/calibration/src/auroc.ts'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { coverageAtFalseAcceptance } from '../../packages/calibration/src/risk-coverage.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import {
  ADVISED_TAIL,
  confidenceAtTail,
  drawWindows,
  largeDocuments,
  type LeaveOut,
  observeWindow,
  REFUSED_TAIL,
  type Scale,
  type ScaleObservation,
  scaleOf,
  tailOf,
} from '../../src/core/scale/index.ts'
import { isRefusedForItself } from '../../src/pipeline/learn-scale.ts'
import { markdownTable } from '../markdown-table.ts'
import { seededRandom } from '../seeded-random.ts'
import { balancedWithoutEach, type BenchGate, benchGate } from './bench-gate.ts'
import { FAMILY_SETS, haveQuestionSets, openQuestionSet, passageOf, readCorpus } from './question-sets.ts'

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'scale.md')
const SEED = 1
const WINDOWS = 200
/** Passages asked for beyond those kept, as many as may be left out. */
const SPARE = 100
const FIXED = 0.55
const LANGUAGES = ['xquad-en', 'xquad-de', 'xquad-zh', 'xquad-ar'] as const
/** Of large sets each how-manieth question is asked. */
const EVERY: Readonly<Record<string, number>> = { 'squad-ooc': 4 }
/** Strengths of simulated scores of meaning: AUROC between answerable questions and those to be refused. */
const STRENGTHS = [0.5, 0.7, 0.8, 0.9, 0.95] as const

/** A question as measured. */
interface Measured {
  readonly answerable: boolean
  /** 0 where it is refused for itself. */
  readonly confidence: number
  readonly parts: number
}

/** A set, asked by its questions and by its own windows. */
interface MeasuredSet {
  readonly name: string
  readonly passages: number
  readonly questions: readonly Measured[]
  readonly observations: readonly ScaleObservation[]
  /** Of windows drawn by other seeds. */
  readonly otherDraws: readonly (readonly ScaleObservation[])[]
  readonly learning: { readonly retrievals: number; readonly seconds: number }
}

const policies = balancedWithoutEach()

/** The languages are translations of what squad-ooc has in part. */
function policyFor(name: string): Policy {
  return policies.get(name.startsWith('xquad') ? 'squad-ooc' : name)!
}

async function measuredSet(name: string): Promise<MeasuredSet> {
  const set = openQuestionSet(name, { every: EVERY[name] ?? 1 })
  const passages = readCorpus(name).map(passageOf)
  const policy = policyFor(name)
  let leftOut: LeaveOut | undefined
  const ask = benchGate(
    {
      lexicon: set.lexicon,
      search: (words, topK) => {
        const isOut = leftOut
        if (isOut === undefined) return set.search(words, topK)
        return set.search(words, topK + SPARE).map(({ kind, entries }) => ({
          kind,
          entries: entries.filter(({ passage }) => !isOut(passage)).slice(0, topK),
        }))
      },
    },
    { policy },
  )
  const questions: Measured[] = []
  for (const { question, answerable } of set.questions)
    questions.push({ answerable, ...measuresOf(policy, await ask(question)) })
  const startedMs = performance.now()
  let retrievals = 0
  const large = largeDocuments(passages)
  const retrieve = async (question: string, leaveOut: LeaveOut): Promise<Asked> => {
    leftOut = leaveOut
    retrievals++
    return ask(question)
  }
  const confidence = (found: Asked): number | undefined =>
    isRefusedForItself(policy, found.decision) ? undefined : measuresOf(policy, found).confidence
  const observe = async (seed: number): Promise<readonly ScaleObservation[]> => {
    const observed: ScaleObservation[] = []
    for (const window of drawWindows(passages, { seed, count: WINDOWS })) {
      observed.push(...(await observeWindow(window, { retrieve, confidence }, large)))
    }
    return observed
  }
  const observations = await observe(SEED)
  const learning = { retrievals, seconds: (performance.now() - startedMs) / 1000 }
  const otherDraws = [await observe(SEED + 1), await observe(SEED + 2)]
  return { name, passages: passages.length, questions, observations, otherDraws, learning }
}

type Asked = Awaited<ReturnType<BenchGate>>

function measuresOf(policy: Policy, found: Asked): Pick<Measured, 'confidence' | 'parts'> {
  const { confidence, signals } = found.decision
  return { confidence: isRefusedForItself(policy, found.decision) ? 0 : confidence, parts: signals.parts?.length ?? 1 }
}

function learned({ name, observations }: MeasuredSet): Scale {
  const scale = scaleOf(observations)
  if (scale.kind === 'none') throw new Error(`${name} has no scale`)
  return scale
}

/** What is answered of the answerable, and of what must be refused. */
interface Answered {
  readonly coverage: readonly [number, number]
  readonly falseAcceptance: readonly [number, number]
}

function answered(set: MeasuredSet, isAnswered: (question: Measured, at: number) => boolean): Answered {
  const counts = { true: [0, 0] as [number, number], false: [0, 0] as [number, number] }
  set.questions.forEach((question, at) => {
    const count = counts[`${question.answerable}`]
    count[1]++
    if (isAnswered(question, at)) count[0]++
  })
  return { coverage: counts.true, falseAcceptance: counts.false }
}

const figure = (value: number): string => value.toFixed(3)
const percent = (tail: number): string => `${(100 * tail).toFixed(1)} %`
const share = ([hits, trials]: readonly [number, number]): number => hits / trials

function interval([hits, trials]: readonly [number, number]): string {
  const { low, high } = binomialInterval(hits, trials)
  return `${figure(hits / trials)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

function meanCells(rows: readonly Answered[]): string[] {
  const falseAcceptances = rows.map((row) => share(row.falseAcceptance))
  return [
    figure(meanOf(rows.map((row) => share(row.coverage)))),
    figure(meanOf(falseAcceptances)),
    figure(Math.max(...falseAcceptances)),
  ]
}

function setTable(sets: readonly MeasuredSet[]): string {
  const rows = sets.map((set) => {
    const scale = learned(set)
    const scored = set.questions.map(({ confidence, answerable }) => ({ score: confidence, answerable }))
    const at = (tail: number): Answered => answered(set, (question) => tailOf(scale, question) <= tail)
    const refused = at(REFUSED_TAIL)
    const fixed = answered(set, ({ confidence }) => confidence >= FIXED)
    return [
      set.name,
      String(refused.coverage[1]),
      String(refused.falseAcceptance[1]),
      figure(auroc(scored)),
      confidenceAtTail(scale, REFUSED_TAIL).toFixed(2),
      interval(refused.coverage),
      interval(refused.falseAcceptance),
      figure(share(at(ADVISED_TAIL).falseAcceptance)),
      `${figure(share(fixed.coverage))} / ${figure(share(fixed.falseAcceptance))}`,
      figure(coverageAtFalseAcceptance(scored, 0.05).coverage),
    ]
  })
  const heads = ['set', 'answerable', 'must refuse', 'AUROC', 'threshold', 'answered', 'false acceptance']
  return markdownTable([...heads, 'of it without a caution', 'fixed .55', 'oracle at 5 %'], rows)
}

function groupTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const rows = Object.entries(groups).flatMap(([group, sets]) => {
    const fixed = sets.map((set) => answered(set, ({ confidence }) => confidence >= FIXED))
    const scaled = (tail: number): Answered[] =>
      sets.map((set) => {
        const scale = learned(set)
        return answered(set, (question) => tailOf(scale, question) <= tail)
      })
    return [
      [group, 'fixed .55', ...meanCells(fixed)],
      ...[0.04, REFUSED_TAIL, 0.1, 0.15].map((tail) => [group, percent(tail), ...meanCells(scaled(tail))]),
      [group, `without a caution: ${percent(ADVISED_TAIL)}`, ...meanCells(scaled(ADVISED_TAIL))],
    ]
  })
  return markdownTable(['sets', 'answered from', 'coverage', 'false acceptance', 'largest'], rows)
}

/** The same from other windows, and from fewer. */
function drawsTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const kinds: Readonly<Record<string, (set: MeasuredSet) => readonly ScaleObservation[]>> = {
    'as above': ({ observations }) => observations,
    'second draw': ({ otherDraws }) => otherDraws[0]!,
    'third draw': ({ otherDraws }) => otherDraws[1]!,
    '100 windows': ({ observations }) => observations.slice(0, 200),
    '50 windows': ({ observations }) => observations.slice(0, 100),
    '25 windows': ({ observations }) => observations.slice(0, 50),
    'passages left out': ({ observations }) => observations.filter(({ leftOut }) => leftOut === 'passage'),
    'documents left out': ({ observations }) => observations.filter(({ leftOut }) => leftOut === 'document'),
  }
  const rows = Object.entries(groups).flatMap(([group, sets]) =>
    Object.entries(kinds).map(([kind, of]) => {
      const results = sets.map((set) => {
        const scale = learned({ ...set, observations: of(set) })
        return answered(set, (question) => tailOf(scale, question) <= REFUSED_TAIL)
      })
      return [group, kind, ...meanCells(results)]
    }),
  )
  return markdownTable(['sets', 'windows', 'coverage', 'false acceptance', 'largest'], rows)
}

/** The scale with a normal score of meaning, which a window's own passage lifts by a deviation at least. */
function withSimulatedMeaning(set: MeasuredSet, lift: number, random: () => number): Scale {
  const simulated = set.observations.flatMap((observed): ScaleObservation[] => [
    { ...observed, meaning: normal(random) },
    { leftOut: 'nothing', confidence: undefined, meaning: normal(random) + Math.max(1, lift) },
  ])
  const scale = scaleOf(set.observations, simulated)
  if (scale.kind === 'none') throw new Error(`${set.name} has no scale`)
  return scale
}

/** Answerable questions that words alone refuse, with a score of meaning so far above the windows. */
function carriedTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const scores = [1.5, 2, 2.5, 3]
  const rows = Object.entries(groups).map(([group, sets]) => {
    const random = seededRandom(SEED)
    const counts = scores.map(() => 0)
    let refused = 0
    for (const set of sets) {
      const scale = withSimulatedMeaning(set, 2, random)
      for (const question of set.questions) {
        if (!question.answerable || tailOf(learned(set), question) <= REFUSED_TAIL) continue
        refused++
        scores.forEach((meaning, at) => {
          if (tailOf(scale, { ...question, meaning }) <= REFUSED_TAIL) counts[at]!++
        })
      }
    }
    return [group, String(refused), ...counts.map((count) => figure(count / refused))]
  })
  return markdownTable(['sets', 'answerable, refused by words', ...scores.map((score) => `answered at ${score}`)], rows)
}

/** A normal score that tells answerable questions from the rest with an AUROC of `strength`. */
function meaningTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const rows = Object.entries(groups).flatMap(([group, sets]) =>
    STRENGTHS.map((strength) => {
      const random = seededRandom(SEED)
      const lift = Math.SQRT2 * normalQuantile(strength)
      const telling: number[] = []
      const results = sets.map((set) => {
        const scale = withSimulatedMeaning(set, lift, random)
        const silent = 1 / (1 + Math.exp(-scale.words.middle))
        telling.push(tellingScore(scale, silent))
        return answered(set, (question) => {
          const meaning = normal(random) + (question.answerable ? lift : 0)
          return tailOf(scale, { ...question, meaning }) <= REFUSED_TAIL
        })
      })
      return [group, strength.toFixed(2), ...meanCells(results), Math.max(...telling).toFixed(2)]
    }),
  )
  const heads = ['sets', 'AUROC of the score', 'coverage', 'false acceptance', 'largest']
  return markdownTable([...heads, 'deviations that carry a question without its words'], rows)
}

/** The least score of meaning at which a question is answered of which words say nothing. */
function tellingScore(scale: Scale, confidence: number): number {
  for (let score = 0; score < 6; score += 0.05) {
    if (tailOf(scale, { confidence, meaning: score }) <= REFUSED_TAIL) return score
  }
  return Infinity
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function normalQuantile(share: number): number {
  let [low, high] = [-8, 8]
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    if (normalShare(middle) < share) low = middle
    else high = middle
  }
  return low
}

/** By Simpson's rule. */
function normalShare(z: number): number {
  const steps = 200
  const width = z / steps
  let sum = 0
  for (let at = 0; at <= steps; at++) {
    const weight = at === 0 || at === steps ? 1 : at % 2 === 1 ? 4 : 2
    sum += weight * Math.exp(-((at * width) ** 2) / 2)
  }
  return 0.5 + (sum * width) / 3 / Math.sqrt(2 * Math.PI)
}

function costTable(sets: readonly MeasuredSet[]): string {
  const rows = sets.map((set) => [
    set.name,
    String(set.passages),
    String(set.learning.retrievals),
    String(JSON.stringify(learned(set)).length),
  ])
  return markdownTable(['set', 'passages', 'retrievals', 'bytes of the scale'], rows)
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to evaluate.')
  process.exit(0)
}
const eight: MeasuredSet[] = []
const languages: MeasuredSet[] = []
for (const name of FAMILY_SETS) eight.push(await measuredSet(name))
for (const name of LANGUAGES) languages.push(await measuredSet(name))
const all = [...eight, ...languages]
const groups = { 'eight families': eight, 'four languages': languages }
for (const { name, learning } of all) console.log(`${name}: learned in ${learning.seconds.toFixed(1)} s`)
const page = `# A scale from the documents

Written by \`npm run bench -- evaluation/evaluate-scale\` (\`bench/evaluation/evaluate-scale.ts\`, seed ${SEED}, ${WINDOWS} windows). Each collection asks itself
five words in a row of its own sentences, with their passage left out, and once more with their document; the confidences are
what "not in here" looks like in it. A question is refused when more than ${percent(REFUSED_TAIL)} of such windows
reach its confidence, and answered with a caution above ${percent(ADVISED_TAIL)}, by a normal
distribution about the median of their log-odds. \`balanced\` is fitted without the family in the row; nothing here saw a label. Intervals
are exact, 95 %.

${groupTable(groups)}

${setTable(all)}

## Other draws, and fewer windows

${drawsTable(groups)}

## Scores of meaning

Simulated: normal, independent of the words, one deviation wide; windows and questions to be refused are alike. The last column:
how many deviations above the windows such a score must lie to carry a question of which words say nothing.

${meaningTable(groups)}

What words refuse although it can be answered, with a score so many deviations above the windows; a question of several parts is
never carried:

${carriedTable(groups)}

## Cost

${costTable(all)}
`
writeFileSync(PAGE, page)
console.log(page)
