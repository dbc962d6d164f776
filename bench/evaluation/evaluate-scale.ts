/**
 * Scales learned from documents alone, evaluated on labelled questions; results are in docs/internal/scale.md.
 *
 *   npm run bench -- evaluation/evaluate-scale [FOLDER]
 *
 * With a folder of other sets, in the format of the development sets: only those, with the weights and the usual
 * threshold of the code. `balanced` is fitted without the family that it is measured on. Windows and simulated semantic
 * scores are drawn with fixed seeds.
 */
import { existsSync, readdirSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { auroc } from '../../packages/calibration/src/auroc.ts'
import { binomialInterval } from '../../packages/calibration/src/binomial-interval.ts'
import { coverageAtFalseAcceptance } from '../../packages/calibration/src/risk-coverage.ts'
import { isWrittenIn, largeDocuments, observeWindow } from '../../packages/calibration/src/scale/learn-from-windows.ts'
import { type ScaleObservation, scaleOf, USUAL_REFUSED } from '../../packages/calibration/src/scale/scale-of-windows.ts'
import { drawWindows } from '../../packages/calibration/src/scale/windows.ts'
import { isRefusedByQuestionGate } from '../../packages/ingest/src/learn-scale.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import { confidenceOf } from '../../src/core/policy/confidence.ts'
import { logistic } from '../../src/core/policy/logistic.ts'
import { definePolicy, type Policy } from '../../src/core/policy/policy.ts'
import { scaled, type ScaledSettings } from '../../src/core/policy/scaled.ts'
import { weakestPart } from '../../src/core/policy/weakest-part.ts'
import { byLength, type ConfidenceScale, REFUSED_BELOW } from '../../src/core/scale/index.ts'
import type { Signals } from '../../src/core/signals/measure.ts'
import { english } from '../../src/language/english/english.ts'
import { BALANCED_PROVENANCE, BALANCED_WEIGHTS } from '../../src/presets/balanced/balanced-weights.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { markdownTable } from '../markdown-table.ts'
import { deviationsOfTail } from '../normal-tail.ts'
import { seededRandom } from '../seeded-random.ts'
import { balancedWithoutEach } from './bench-gate.ts'
import { askWithout } from './own-windows.ts'
import { FAMILY_SETS, haveQuestionSets, openQuestionSet, passageOf, readCorpus } from './question-sets.ts'

const SEED = 1
const WINDOWS = 200
const FIXED = 0.55
/** Shares of windows above the thresholds of `balanced`. */
const REFUSED_TAIL = 0.025
const ADVISED_TAIL = 0.01
const LANGUAGES = ['xquad-en', 'xquad-de', 'xquad-zh', 'xquad-ar'] as const
/** Sampling interval of questions in large sets. */
const EVERY: Readonly<Record<string, number>> = { 'squad-ooc': 4 }
/** Change of a threshold, in deviations, per e-fold increase of a question's number of terms. */
const SLOPES = [-0.6, -0.4, -0.2, 0, 0.2] as const
/** Number of terms of a question whose threshold is shown. */
const TERMS = 5
/** Strengths of simulated semantic scores: AUROC between answerable and unanswerable questions. */
const STRENGTHS = [0.5, 0.7, 0.8, 0.9, 0.95] as const
/** Simulated difference between the scores of unanswerable questions and of windows, in deviations. */
const SHIFTS = [0, 0.5] as const

/** A measured question. */
interface Measured {
  readonly answerable: boolean
  readonly isRefusedByQuestionGate: boolean
  readonly signals: Signals
}

/** A set, asked its questions and its own windows. */
interface MeasuredSet {
  readonly name: string
  readonly passages: number
  /** Whether its windows are in the policy's language. */
  readonly isWritten: boolean
  readonly policy: Policy
  readonly questions: readonly Measured[]
  readonly observations: readonly ScaleObservation[]
  /** Whole sentences, with the cosine's change by their own passage. */
  readonly sentences: readonly ScaleObservation[]
  /** Windows drawn with other seeds. */
  readonly otherDraws: readonly (readonly ScaleObservation[])[]
  /** Duration of learning. */
  readonly seconds: number
}

const folder = process.argv[2]
const policies = folder === undefined ? balancedWithoutEach() : new Map<string, Policy>()
const shipped = definePolicy({
  ...balanced(),
  confidence: weakestPart(logistic({ ...BALANCED_WEIGHTS, provenance: BALANCED_PROVENANCE, calibrated: false })),
})
// Constants of `balanced`, stored with the weights.
const { atMiddle, perDeviation } = balanced().confidence.settings as ScaledSettings

/** The set's family; the translated sets are parts of squad-ooc. */
function familyOf(name: string): string {
  return name.startsWith('xquad') ? 'squad-ooc' : name
}

async function measuredSet(name: string): Promise<MeasuredSet> {
  const set = openQuestionSet(name, { every: EVERY[name] ?? 1 })
  const passages = readCorpus(name).map(passageOf)
  const policy = policies.get(familyOf(name)) ?? shipped
  const asking = askWithout(set, policy)
  const questions: Measured[] = []
  for (const { question, answerable } of set.questions) {
    const { decision } = await asking.retrieve(question, () => false)
    questions.push({
      answerable,
      isRefusedByQuestionGate: isRefusedByQuestionGate(policy, decision),
      signals: decision.signals,
    })
  }
  const startedMs = performance.now()
  const large = largeDocuments(passages)
  const observe = async (
    seed: number,
    count = WINDOWS,
    words?: number,
    ways?: readonly ScaleObservation['leftOut'][],
  ): Promise<readonly ScaleObservation[]> => {
    const observed: ScaleObservation[] = []
    for (const window of drawWindows(passages, { seed, count, ...(words && { words }) })) {
      observed.push(...(await observeWindow(window, asking, large, ways)))
    }
    return observed
  }
  const observations = await observe(SEED)
  const seconds = (performance.now() - startedMs) / 1000
  const isWritten = isWrittenIn(english, drawWindows(passages, { seed: SEED, count: WINDOWS }))
  const sentences = await observe(SEED, WINDOWS / 2, Infinity, ['passage', 'document', 'nothing'])
  const otherDraws = [await observe(SEED + 1), await observe(SEED + 2)]
  return { name, passages: passages.length, isWritten, policy, questions, observations, sentences, otherDraws, seconds }
}

/** @param sentences for a semantic score */
function learned(
  { name, isWritten }: Pick<MeasuredSet, 'name' | 'isWritten'>,
  observations: readonly ScaleObservation[],
  sentences: readonly ScaleObservation[] = [],
): ConfidenceScale {
  const scale = scaleOf(observations, { sentences, ...(isWritten && { usual: usualWithout(familyOf(name)) }) })
  if (scale === undefined) throw new Error(`${name} has no scale`)
  return scale
}

/** Confidence below which the other families refuse, from the mean of log-odds. @param family `none` for all eight */
function usualWithout(family: string): number {
  if (folder !== undefined) return USUAL_REFUSED
  const refused = eight
    .filter(({ name }) => name !== family)
    .map(({ observations }) => scaleOf(observations, { usual: 0.5 })!)
    // Halfway to log-odds of 0.
    .map(({ middle, deviation }) => 2 * (middle + REFUSED_BELOW * deviation))
  return 1 / (1 + Math.exp(-meanOf(refused)))
}

/** The confidence on a scale; 0 if the question itself is refused. @param meaning replaces the measured score */
function confidenceOn(
  { policy }: Pick<MeasuredSet, 'policy'>,
  scale: ConfidenceScale,
  { signals, isRefusedByQuestionGate: isRefused }: Measured,
  meaning = cosineOf(signals),
): number {
  const onScale = { ...scale, learnedAtMs: 0, corpusVersion: 1 }
  const confidence = scaled(policy.confidence, { atMiddle, perDeviation })
  const curves = meaning === undefined ? {} : { cosine: { scores: [meaning], topPairSharesDocument: false } }
  return isRefused ? 0 : confidenceOf(confidence, { ...signals, scale: onScale, curves })
}

function cosineOf({ curves }: Signals): number | undefined {
  return curves?.cosine?.scores[0]
}

/** The confidence that a given share of windows reaches. */
function confidenceAt(tail: number): number {
  return 1 / (1 + Math.exp(-atMiddle - perDeviation * deviationsOfTail(tail)))
}

/** Shares of answered questions among the answerable and the unanswerable ones. */
interface Answered {
  readonly coverage: readonly [number, number]
  readonly falseAcceptance: readonly [number, number]
}

function answered({ questions }: MeasuredSet, isAnswered: (question: Measured) => boolean): Answered {
  const counts = { true: [0, 0] as [number, number], false: [0, 0] as [number, number] }
  for (const question of questions) {
    const count = counts[`${question.answerable}`]
    count[1]++
    if (isAnswered(question)) count[0]++
  }
  return { coverage: counts.true, falseAcceptance: counts.false }
}

const isAnsweredFixed =
  ({ policy }: MeasuredSet) =>
  ({ signals, isRefusedByQuestionGate: isRefused }: Measured): boolean =>
    !isRefused && confidenceOf(policy.confidence, signals) >= FIXED

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
    const scale = learned(set, set.observations)
    const scored = set.questions.map((question) => ({
      score: confidenceOn(set, scale, question),
      answerable: question.answerable,
    }))
    const at = (tail: number): Answered =>
      answered(set, (question) => confidenceOn(set, scale, question) >= confidenceAt(tail))
    const refused = at(REFUSED_TAIL)
    const fixed = answered(set, isAnsweredFixed(set))
    const from = scale.middle + REFUSED_BELOW * scale.deviation
    const threshold = 1 / (1 + Math.exp(byLength(-from, TERMS)))
    const own = set.observations.map(({ confidence = 0 }) => Number(logOddsOf(confidence) >= from))
    return [
      basename(set.name),
      String(refused.coverage[1]),
      String(refused.falseAcceptance[1]),
      figure(auroc(scored)),
      threshold.toFixed(2),
      figure(meanOf(own)),
      interval(refused.coverage),
      interval(refused.falseAcceptance),
      figure(share(at(ADVISED_TAIL).falseAcceptance)),
      `${figure(share(fixed.coverage))} / ${figure(share(fixed.falseAcceptance))}`,
      figure(coverageAtFalseAcceptance(scored, 0.05).coverage),
    ]
  })
  const heads = ['set', 'answerable', 'unanswerable', 'AUROC', 'threshold', 'windows', 'answered', 'false acceptance']
  return markdownTable([...heads, 'false acceptance without a caution', 'fixed .55', 'oracle at 5 %'], rows)
}

function groupTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const rows = Object.entries(groups).flatMap(([group, sets]) => {
    const fixed = sets.map((set) => answered(set, isAnsweredFixed(set)))
    const atTail = (tail: number): Answered[] =>
      sets.map((set) => {
        const scale = learned(set, set.observations)
        return answered(set, (question) => confidenceOn(set, scale, question) >= confidenceAt(tail))
      })
    return [
      [group, 'fixed .55', ...meanCells(fixed)],
      ...[0.02, REFUSED_TAIL, 0.03, 0.05, 0.1].map((tail) => [group, percent(tail), ...meanCells(atTail(tail))]),
      [group, `without a caution: ${percent(ADVISED_TAIL)}`, ...meanCells(atTail(ADVISED_TAIL))],
    ]
  })
  return markdownTable(['sets', 'threshold', 'coverage', 'false acceptance', 'largest'], rows)
}

/** The same with other windows, and with fewer. */
function drawsTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const kinds: Readonly<Record<string, (set: MeasuredSet) => readonly ScaleObservation[]>> = {
    'as above': ({ observations }) => observations,
    'second draw': ({ otherDraws }) => otherDraws[0]!,
    'third draw': ({ otherDraws }) => otherDraws[1]!,
    '100 windows': ({ observations }) => observations.slice(0, 200),
    '50 windows': ({ observations }) => observations.slice(0, 100),
    '36 windows': ({ observations }) => observations.slice(0, 72),
    'passages left out': ({ observations }) => observations.filter(({ leftOut }) => leftOut === 'passage'),
    // Told as passages, because only these are counted.
    'documents left out': ({ observations }) =>
      observations.flatMap((each) => (each.leftOut === 'document' ? { ...each, leftOut: 'passage' as const } : [])),
  }
  const rows = Object.entries(groups).flatMap(([group, sets]) =>
    Object.entries(kinds).map(([kind, of]) => {
      const results = sets.map((set) => {
        const scale = learned(set, of(set))
        return answered(set, (question) => confidenceOn(set, scale, question) >= FIXED)
      })
      return [group, kind, ...meanCells(results)]
    }),
  )
  return markdownTable(['sets', 'windows', 'coverage', 'false acceptance', 'largest'], rows)
}

/** A threshold that decreases more with the number of terms, with the same mean false acceptance. */
function lengthTable(sets: readonly MeasuredSet[]): string {
  const placed = sets.map((set) => {
    const onScale = PLACES['on the scale'](set)
    return set.questions.map((question) => ({
      answerable: question.answerable,
      place: onScale(question),
      more: Math.log(Math.max(1, Number(question.signals['questionTermCount'])) / TERMS),
    }))
  })
  const outcomesOf = (slope: number, threshold: number) =>
    placed.map((questions) => {
      const answeredOf = (kind: boolean): number =>
        meanOf(
          questions
            .filter(({ answerable }) => answerable === kind)
            .map(({ place, more }) => Number(place + slope * more >= threshold)),
        )
      return { coverage: answeredOf(true), falseAcceptance: answeredOf(false) }
    })
  const plain = outcomesOf(0, REFUSED_BELOW)
  const falseAcceptanceOf = (outcomes: typeof plain): number =>
    meanOf(outcomes.map(({ falseAcceptance }) => falseAcceptance))
  const off = (outcomes: typeof plain): number => Math.abs(falseAcceptanceOf(outcomes) - falseAcceptanceOf(plain))
  const rows = SLOPES.map((slope) => {
    const [best] = Array.from({ length: 201 }, (_, step) => outcomesOf(slope, REFUSED_BELOW + step / 100 - 1)).sort(
      (one, other) => off(one) - off(other),
    )
    const aurocs = placed.map((questions) =>
      auroc(questions.map(({ answerable, place, more }) => ({ answerable, score: place + slope * more }))),
    )
    return [
      String(slope),
      figure(meanOf(aurocs)),
      figure(meanOf(best!.map(({ coverage }) => coverage))),
      figure(falseAcceptanceOf(best!)),
      figure(Math.max(...best!.map(({ falseAcceptance }) => falseAcceptance))),
      sets
        .filter((_, at) => best![at]!.coverage < plain[at]!.coverage - 0.005)
        .map(({ name }) => basename(name))
        .join(', '),
    ]
  })
  const heads = [
    'further deviations for each e-fold of terms',
    'AUROC',
    'coverage',
    'false acceptance',
    'largest',
    'lower coverage in',
  ]
  return markdownTable(heads, rows)
}

/** The scale with a simulated, independent normal semantic score, raised three deviations by a window's passage. */
function withSimulatedMeaning(set: MeasuredSet, random: () => number): ConfidenceScale {
  const simulated = (windows: readonly ScaleObservation[]): ScaleObservation[] =>
    windows.map((each) => ({ ...each, meaning: normal(random) + (each.leftOut === 'nothing' ? 3 : 0) }))
  return learned(set, simulated(set.observations), simulated(set.sentences))
}

/** Results with a normal score that separates answerable from unanswerable questions with an AUROC of `strength`. */
function meaningTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const rows = Object.entries(groups).flatMap(([group, sets]) =>
    STRENGTHS.flatMap((strength) =>
      SHIFTS.map((shift) => {
        const random = seededRandom(SEED)
        const lift = shift + Math.SQRT2 * -deviationsOfTail(strength)
        const results = sets.map((set) => {
          const scale = withSimulatedMeaning(set, random)
          return answered(set, (question) => {
            const meaning = normal(random) + (question.answerable ? lift : shift)
            return confidenceOn(set, scale, question, meaning) >= FIXED
          })
        })
        return [group, strength.toFixed(2), shift.toFixed(1), ...meanCells(results)]
      }),
    ),
  )
  const heads = ['sets', 'AUROC of the cosine', 'unanswerable questions above windows, deviations']
  return markdownTable([...heads, 'coverage', 'false acceptance', 'largest'], rows)
}

/** Answerable questions that are refused lexically, with a semantic score this far above the windows'. */
function carriedTable(groups: Readonly<Record<string, readonly MeasuredSet[]>>): string {
  const scores = [1.5, 2, 2.5, 3, 3.5]
  const rows = Object.entries(groups).map(([group, sets]) => {
    const random = seededRandom(SEED)
    const counts = scores.map(() => 0)
    let refused = 0
    for (const set of sets) {
      const scale = withSimulatedMeaning(set, random)
      const byWords = learned(set, set.observations)
      for (const question of set.questions) {
        if (!question.answerable || confidenceOn(set, byWords, question) >= FIXED) continue
        refused++
        scores.forEach((meaning, at) => {
          if (confidenceOn(set, scale, question, meaning) >= FIXED) counts[at]!++
        })
      }
    }
    return [group, String(refused), ...counts.map((count) => figure(count / refused))]
  })
  return markdownTable(['sets', 'answerable, refused by words', ...scores.map((score) => `answered at ${score}`)], rows)
}

/** A straight line from deviations on a scale, or from log-odds, to the log-odds of answering near misses. */
type Line = readonly [intercept: number, slope: number]

/** Position of a question: on its collection's scale, or in unscaled log-odds. */
type Place = (set: MeasuredSet) => (question: Measured) => number

const PLACES: Readonly<Record<'on the scale' | 'without one', Place>> = {
  'on the scale': (set) => {
    const scale = learned(set, set.observations)
    return (question) => (logOddsOf(confidenceOn(set, scale, question)) - atMiddle) / perDeviation
  },
  'without one':
    ({ policy }) =>
    ({ signals, isRefusedByQuestionGate: isRefused }) =>
      byLength(logOddsOf(isRefused ? 0 : confidenceOf(policy.confidence, signals)), signals.questionTermCount),
}

const logOddsOf = (share: number): number => Math.log(share / (1 - share))
/** Range of positions for fitting the line: those that .03 to .3 of the unanswerable questions reach. */
const FITTED_AT = { 'on the scale': [0.6, 2.4], 'without one': [0.2, 2.6] } as const
const NEAR_MISSES = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3] as const

/** Least squares fit to the mean of the sets. */
function nearMissLine(sets: readonly MeasuredSet[], kind: keyof typeof PLACES): Line {
  const [from, to] = FITTED_AT[kind]
  const places = sets.map((set) => {
    const placeOf = PLACES[kind](set)
    return set.questions.filter(({ answerable }) => !answerable).map(placeOf)
  })
  const points = Array.from({ length: 19 }, (_, step) => {
    const at = from + (step / 18) * (to - from)
    const reached = meanOf(places.map((each) => each.filter((place) => place >= at).length / each.length))
    return [at, logOddsOf(reached)] as const
  })
  const [x, y] = [meanOf(points.map(([at]) => at)), meanOf(points.map(([, odds]) => odds))]
  const slope = meanOf(points.map(([at, odds]) => (at - x) * (odds - y))) / meanOf(points.map(([at]) => (at - x) ** 2))
  return [y - slope * x, slope]
}

/** Results of `refuse: { nearMisses }` on each set, with a line fitted on the others. */
function nearMissTable(sets: readonly MeasuredSet[]): string {
  const rows = (Object.keys(PLACES) as (keyof typeof PLACES)[]).flatMap((kind) =>
    NEAR_MISSES.map((share) => {
      const results = sets.map((set) => {
        const [intercept, slope] = nearMissLine(
          sets.filter((other) => other !== set),
          kind,
        )
        const from = (logOddsOf(share) - intercept) / slope
        const placeOf = PLACES[kind](set)
        return answered(set, (question) => placeOf(question) >= from)
      })
      return [kind, share.toFixed(2), ...meanCells(results)]
    }),
  )
  return markdownTable(['confidence', 'nearMisses', 'coverage', 'near misses answered', 'largest'], rows)
}

/** The lines for all sets together, as in `balanced`. */
function nearMissFigures(sets: readonly MeasuredSet[]): string {
  const [intercept, slope] = nearMissLine(sets, 'on the scale')
  const [otherIntercept, otherSlope] = nearMissLine(sets, 'without one')
  const factor = Math.exp(-atMiddle + (perDeviation * intercept) / slope)
  const power = -perDeviation / slope
  const deviation = slope / otherSlope
  const middle = (intercept - otherIntercept) / otherSlope
  return (
    `A share s reaches the confidence 1 / (1 + ${factor.toFixed(2)} · (s / (1 − s))^${power.toFixed(4)}); where there is no scale, ` +
    `the median is ${middle.toFixed(3)} and the deviation ${deviation.toFixed(4)}.`
  )
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function costTable(sets: readonly MeasuredSet[]): string {
  const random = seededRandom(SEED)
  const rows = sets.map((set) => [
    set.name,
    String(set.passages),
    String(set.observations.length),
    String(JSON.stringify(learned(set, set.observations)).length),
    String(JSON.stringify(withSimulatedMeaning(set, random)).length),
  ])
  return markdownTable(['set', 'passages', 'verdicts', 'bytes of the scale', 'bytes with a cosine'], rows)
}

if (folder !== undefined) {
  if (!existsSync(folder)) throw new Error(`${folder} is not here`)
  const others: MeasuredSet[] = []
  for (const name of readdirSync(folder).sort()) others.push(await measuredSet(resolve(folder, name)))
  const written = others.filter(({ isWritten }) => isWritten)
  const unread = others.filter(({ isWritten }) => !isWritten)
  console.log(`${groupTable({ English: written, 'other languages': unread })}\n\n${setTable([...written, ...unread])}`)
  console.log(`\n${lengthTable(written)}\n\n${lengthTable(unread)}`)
  process.exit(0)
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
for (const { name, seconds } of all) console.log(`${name}: learned in ${seconds.toFixed(1)} s`)
const page = `# A scale from the documents

Written by \`npm run bench -- evaluation/evaluate-scale\` (\`bench/evaluation/evaluate-scale.ts\`, seed ${SEED}, ${WINDOWS} windows). Windows of
five consecutive words of a collection's own sentences are asked with their passage left out, and again with the whole document
left out. The log-odds of their confidences are modelled by a normal distribution around the median. A question is refused if more
than ${percent(REFUSED_TAIL)} of windows would reach its confidence (4 % in a language that the policy does not know, judged by the
stop words of the windows), and answered with a caution above ${percent(ADVISED_TAIL)}. In English the refuse threshold is averaged
with the usual one of the other families: ${figure(usualWithout('none'))} over all eight, ${USUAL_REFUSED} in the code. \`balanced\` is fitted
without the family in the row, and no labels are used. Intervals are exact, 95 %.

${groupTable(groups)}

${setTable(all)}

## Near misses

Results of \`balanced({ refuse: { nearMisses } })\`, with a line fitted to the mean of seven families and tested on the eighth. "Largest" is the
worst family. ${nearMissFigures(eight)}

${nearMissTable(eight)}

## Other draws, and fewer windows

${drawsTable(groups)}

## By the number of terms

${lengthTable(eight)}

${lengthTable(languages)}

## Scores of meaning

Deviations of the cosine are measured against whole sentences. Either words or cosine can support a question alone; if both do, they are
added, minus one deviation. The cosine is used only if a sentence's own passage raises it by at least one deviation. It is simulated as
normal with a deviation of one, independent of the words, with equal distributions for windows and unanswerable questions, or the latter higher.

${meaningTable(groups)}

Answerable questions that are refused by words, with a cosine so many deviations above the windows; questions of several parts, or with a
piece foreign to the rest, are never answered by the cosine alone:

${carriedTable(groups)}

## Cost

Retrievals: one per window, because the same words are retrieved once; with a cosine, half as many again.

${costTable(all)}
`
console.log(page)
