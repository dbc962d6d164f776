/**
 * How calibrations keep their promise on the eight families, written to docs/calibration-measured.md and
 * docs/calibration.svg.
 *
 *   npm run bench:calibration [draws]
 *
 * The general confidence has the signals of `balanced`, fitted with the family left out. Labels are drawn with
 * replacement, with a fixed seed; what is realised is counted on the questions that were not drawn.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { binomialInterval } from '../src/core/calibration/binomial-interval.ts'
import { type CalibrationLabel, calibratePolicy } from '../src/core/calibration/calibrate-policy.ts'
import { type Example, fitLogistic } from '../src/core/calibration/logistic-fit.ts'
import { coverageAtFalseAcceptance } from '../src/core/calibration/risk-coverage.ts'
import { confidenceOf } from '../src/core/policy/confidence.ts'
import { judge } from '../src/core/policy/judge.ts'
import { logistic, type LogisticSettings } from '../src/core/policy/logistic.ts'
import { definePolicy, type Policy } from '../src/core/policy/policy.ts'
import type { TextSignalName } from '../src/core/signals/index.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { multiGate } from '../src/presets/multi-gate/multi-gate.ts'
import { twoTier } from '../src/presets/two-tier/two-tier.ts'
import { weightedSignals } from '../src/presets/weighted-signals/weighted-signals.ts'
import { calibrationFigure } from './calibration/figure.ts'
import { type MeasuredLabel, measuredFamily } from './calibration/measured-families.ts'
import { FAMILY_SETS, haveQuestionSets } from './evaluation/question-sets.ts'
import { seededRandom } from './seeded-random.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')
const SEED = 20_261_122
const RISK = 0.05
const CERTAINTY = 0.9
const SIZES = [30, 50, 100, 200]
const DRAWS = Number(process.argv[2] ?? 200)

/** What a way of setting thresholds did, over draws. */
export interface Outcome {
  readonly method: string
  readonly family: string
  readonly n: number
  /** Draws in which a threshold could be set. */
  readonly made: number
  readonly draws: number
  /** Means over these. */
  readonly falseAcceptance: number
  readonly coverage: number
  /** Draws in which false acceptance was above the stated one. */
  readonly exceeded: number
}

type Accepts = (label: MeasuredLabel) => boolean

const METHODS = [
  'both kinds: thresholds',
  'both kinds: weights',
  'hidden gold: thresholds',
  'hidden gold: weights',
  'both kinds: thresholds, certainty .5',
  'split conformal',
] as const

/** The general policy for a family, fitted on the others. */
function generalPolicy(family: string, sets: ReadonlyMap<string, readonly MeasuredLabel[]>): Policy {
  // `balanced` is logistic.
  const names = Object.keys((balanced().confidence.settings as LogisticSettings).weights) as TextSignalName[]
  const examples = [...sets].flatMap(([name, labels]) => {
    if (name === family) return []
    const answerable = labels.filter((label) => label.answerable).length
    return labels.map((label): Example => ({
      features: names.map((signal) => label.signals[signal]),
      label: label.answerable ? 1 : 0,
      weight: 1 / (label.answerable ? answerable : labels.length - answerable),
    }))
  })
  const { intercept, coefficients } = fitLogistic(examples, { l2: 0.005 })
  const weights = Object.fromEntries(names.map((name, at) => [name, coefficients[at]!]))
  return definePolicy({ ...balanced(), confidence: logistic({ intercept, weights, provenance: `without ${family}` }) })
}

function draw(labels: readonly MeasuredLabel[], count: number, random: () => number): MeasuredLabel[] {
  return Array.from({ length: count }, () => labels[Math.floor(random() * labels.length)]!)
}

function labelOf(signals: MeasuredLabel['signals'], answerable: boolean, group: string): CalibrationLabel {
  return { signals, answerable, group }
}

/** What a method lets through after these labels; `undefined` where it makes no promise. */
function calibrated(
  method: (typeof METHODS)[number],
  policy: Policy,
  answerable: readonly MeasuredLabel[],
  unanswerable: readonly MeasuredLabel[],
  idOf: (label: MeasuredLabel) => string,
): Accepts | undefined {
  if (method === 'split conformal') {
    const scores = unanswerable.map(({ signals }) => confidenceOf(policy.confidence, signals)).sort((a, b) => a - b)
    const rank = Math.ceil((scores.length + 1) * (1 - RISK))
    if (rank > scores.length) return undefined
    return ({ signals }) => confidenceOf(policy.confidence, signals) > scores[rank - 1]!
  }
  const refusable = method.startsWith('hidden')
    ? answerable.map((label) => labelOf(label.hidden!, false, idOf(label)))
    : unanswerable.map((label) => labelOf(label.signals, false, idOf(label)))
  const labels = [...answerable.map((label) => labelOf(label.signals, true, idOf(label))), ...refusable]
  const fit = method.endsWith('weights') ? 'weights' : 'thresholds'
  const certainty = method.endsWith('certainty .5') ? 0.5 : CERTAINTY
  const found = calibratePolicy(policy, labels, { name: 'bench', risk: RISK, certainty, fit })
  if (found.kind !== 'calibrated') return undefined
  const { threshold } = found.refuse
  return ({ signals }) => confidenceOf(found.policy.confidence, signals) >= threshold
}

function ratesOf(
  labels: readonly MeasuredLabel[],
  accepts: Accepts,
): { readonly falseAcceptance: number; readonly coverage: number } {
  const share = (kind: boolean): number => {
    const those = labels.filter(({ answerable }) => answerable === kind)
    return those.filter(accepts).length / those.length
  }
  return { falseAcceptance: share(false), coverage: share(true) }
}

function outcomesOf(family: string, sets: ReadonlyMap<string, readonly MeasuredLabel[]>): Outcome[] {
  const labels = sets.get(family)!
  const policy = generalPolicy(family, sets)
  const ids = new Map(labels.map((label, at) => [label, String(at)]))
  const idOf = (label: MeasuredLabel): string => ids.get(label)!
  const random = seededRandom(SEED)
  const kinds = [true, false].map((kind) => labels.filter(({ answerable }) => answerable === kind)) as [
    MeasuredLabel[],
    MeasuredLabel[],
  ]
  return SIZES.flatMap((n) => {
    const sums = METHODS.map(() => ({ made: 0, falseAcceptance: 0, coverage: 0, exceeded: 0 }))
    for (let at = 0; at < DRAWS; at++) {
      const [answerable, unanswerable] = kinds.map((those) => draw(those, n, random)) as [
        MeasuredLabel[],
        MeasuredLabel[],
      ]
      const drawn = new Set([...answerable, ...unanswerable])
      const rest = labels.filter((label) => !drawn.has(label))
      METHODS.forEach((method, index) => {
        const accepts = calibrated(method, policy, answerable, unanswerable, idOf)
        if (accepts === undefined) return
        const { falseAcceptance, coverage } = ratesOf(rest, accepts)
        // A promise about thresholds alone can be held against all questions: none of them was fitted on.
        const held = method.endsWith('weights') ? falseAcceptance : ratesOf(labels, accepts).falseAcceptance
        const sum = sums[index]!
        sum.made++
        sum.falseAcceptance += falseAcceptance
        sum.coverage += coverage
        if (held > RISK) sum.exceeded++
      })
    }
    return METHODS.map((method, index): Outcome => {
      const { made, falseAcceptance, coverage, exceeded } = sums[index]!
      const mean = (sum: number): number => sum / made
      return {
        method,
        family,
        n,
        made,
        draws: DRAWS,
        falseAcceptance: mean(falseAcceptance),
        coverage: mean(coverage),
        exceeded,
      }
    })
  })
}

/** What needs no labels of the collection, and what nobody has. */
function withoutLabels(
  family: string,
  sets: ReadonlyMap<string, readonly MeasuredLabel[]>,
): Record<string, { falseAcceptance: number; coverage: number }> {
  const labels = sets.get(family)!
  const policy = generalPolicy(family, sets)
  const passing =
    (judging: Policy): Accepts =>
    ({ signals }) =>
      judge(judging, signals).verdict !== 'refuse'
  const scored = labels.map(({ signals, answerable }) => ({
    score: confidenceOf(policy.confidence, signals),
    answerable,
  }))
  return {
    'default thresholds': ratesOf(labels, passing(policy)),
    'two-tier': ratesOf(labels, passing(twoTier())),
    'multi-gate': ratesOf(labels, passing(multiGate())),
    'weighted-signals': ratesOf(labels, passing(weightedSignals({ renormalise: true }))),
    oracle: coverageAtFalseAcceptance(scored, RISK),
  }
}

const share = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : 'n/a')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]!.length)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function meanRows(outcomes: readonly Outcome[]): string[][] {
  return METHODS.flatMap((method) =>
    SIZES.map((n) => {
      const those = outcomes.filter((each) => each.method === method && each.n === n)
      const usable = those.filter(({ made }) => made > 0)
      const mean = (of: (each: Outcome) => number): number =>
        usable.reduce((sum, each) => sum + of(each), 0) / usable.length
      const made = those.reduce((sum, each) => sum + each.made, 0)
      const exceeded = those.reduce((sum, each) => sum + each.exceeded, 0)
      const { low, high } = binomialInterval(exceeded, made)
      const draws = those.reduce((sum, each) => sum + each.draws, 0)
      return [
        method,
        String(n),
        `${made} of ${draws}`,
        made === 0 ? 'n/a' : share(mean((each) => each.falseAcceptance)),
        made === 0 ? 'n/a' : `${share(exceeded / made)} (${low.toFixed(3)}–${high.toFixed(3)})`,
        made === 0 ? 'n/a' : share(mean((each) => each.coverage)),
      ]
    }),
  )
}

function familyRows(outcomes: readonly Outcome[], n: number): string[][] {
  return FAMILY_SETS.flatMap((family) =>
    METHODS.map((method) => {
      const found = outcomes.find((each) => each.family === family && each.method === method && each.n === n)!
      const { low, high } = binomialInterval(found.exceeded, found.made)
      return [
        family,
        method,
        share(found.falseAcceptance),
        found.made === 0 ? 'n/a' : `${share(found.exceeded / found.made)} (${low.toFixed(3)}–${high.toFixed(3)})`,
        share(found.coverage),
      ]
    }),
  )
}

if (!haveQuestionSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const sets = new Map(FAMILY_SETS.map((name) => [name as string, measuredFamily(name)]))
const outcomes = FAMILY_SETS.flatMap((family) => {
  const found = outcomesOf(family, sets)
  console.log(`${family} done`)
  return found
})
const fixed = FAMILY_SETS.map((family) => [family, withoutLabels(family, sets)] as const)
const fixedNames = Object.keys(fixed[0]![1])
const page = `# Calibration, measured

Written by \`npm run bench:calibration\` (\`bench/calibration.ts\`): ${FAMILY_SETS.length} families of questions, ${DRAWS} draws each
(seed ${SEED}), ${RISK * 100} % stated false acceptance with certainty ${CERTAINTY}. The general confidence is fitted without the
family in question. *n* is the number of labelled questions of each kind; with hidden gold only the *n* answerable ones
are used. Labels are drawn with replacement; rates are counted on questions that were not drawn. *Exceeded*: draws in
which more than ${RISK * 100} % got through, with its 95 % interval, by all questions of the family where only thresholds are set,
and by those not drawn where weights are fitted (few questions are left of small families, so that this counts some chance
as excess).

![Stated and realised false acceptance](calibration.svg)

## Mean of the families

${table(['how', 'n', 'promise made', 'realised false acceptance', 'exceeded', 'coverage'], meanRows(outcomes))}

## Each family, n = 100

${table(['family', 'how', 'realised false acceptance', 'exceeded', 'coverage'], familyRows(outcomes, 100))}

## Without labels of the collection

False acceptance / coverage at thresholds that are the same everywhere, and for the oracle that knows every answer (the
threshold of the general confidence that is best on the very questions it is measured on).

${table(
  ['family', ...fixedNames],
  fixed.map(([family, rates]) => [
    family,
    ...fixedNames.map((name) => `${share(rates[name]!.falseAcceptance)} / ${share(rates[name]!.coverage)}`),
  ]),
)}
`
writeFileSync(join(DOCS, 'calibration-measured.md'), page)
writeFileSync(
  join(DOCS, 'calibration.svg'),
  calibrationFigure(outcomes, { risk: RISK, sizes: SIZES, methods: METHODS }),
)
console.log(page)
