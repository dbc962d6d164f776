/** Whether a cascade is better with bounds on the collection's own scale than on confidences. */
import { largeDocuments, observeWindow } from '../../packages/calibration/src/scale/learn-from-windows.ts'
import { REFUSED_BELOW } from '../../src/core/scale/index.ts'
import { type ScaleObservation, scaleOf } from '../../packages/calibration/src/scale/scale-of-windows.ts'
import { drawWindows } from '../../packages/calibration/src/scale/windows.ts'
import { logOdds } from '../../packages/calibration/src/log-odds.ts'
import { meanOf } from '../../src/core/lib/statistics.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { deviationsOf } from '../../src/core/scale/index.ts'
import { askWithout } from '../evaluation/own-windows.ts'
import { openQuestionSet, passageOf, readCorpus } from '../evaluation/question-sets.ts'

const WINDOWS = 200
/** Ranges of saved calls within which bounds are compared. */
const SAVINGS = [
  [0.1, 0.16],
  [0.2, 0.25],
  [0.3, 0.36],
  [0.42, 0.48],
] as const
/** Bounds to try, every lower one with every upper one. */
const TRIED = {
  'a confidence': [
    [0.02, 0.03, 0.05, 0.07, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3].map(oddsOf),
    [0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98].map(oddsOf),
  ],
  'deviations on the scale': [
    [-2, -1.5, -1.25, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5],
    [1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4],
  ],
} as const

/** A question judged lexically, and by a reranker with and without its error. */
export interface ReadQuestion {
  readonly answerable: boolean
  /** The unscaled lexical confidence. */
  readonly confidence: number
  /** Whether a correct reranker answers it, and a wrong one. */
  readonly byReader: readonly [right: boolean, wrong: boolean]
}

/** A family, with observations of its own windows. */
export interface ReadFamily {
  readonly questions: readonly ReadQuestion[]
  readonly windows: readonly ScaleObservation[]
}

interface Outcome {
  readonly saved: number
  readonly error: number
}

/** The policy's observations of a collection's own windows. */
export async function ownWindows(name: string, policy: Policy): Promise<readonly ScaleObservation[]> {
  const passages = readCorpus(name).map(passageOf)
  const asking = askWithout(openQuestionSet(name), policy)
  const large = largeDocuments(passages)
  const observed: ScaleObservation[] = []
  for (const window of drawWindows(passages, { seed: 1, count: WINDOWS })) {
    observed.push(...(await observeWindow(window, asking, large)))
  }
  return observed
}

/**
 * For each range of saved calls, the bounds of either kind with the fewest errors on the other families.
 *
 * @param errors share of questions that the reranker is wrong about; results are expected values, not draws
 * @returns rows: errors, calls saved of, bounds, saved, mean error, families in which it is lower than with the other
 *   kind
 */
export function boundsByScale(families: readonly ReadFamily[], errors: number): readonly string[][] {
  const kinds = {
    'a confidence': families.map(() => (confidence: number) => oddsOf(confidence)),
    'deviations on the scale': families.map((_, at) => onScaleOf(families, at)),
  }
  return SAVINGS.flatMap(([least, most]) => {
    const chosen = Object.entries(kinds).map(([kind, places]) => {
      const [lower, upper] = TRIED[kind as keyof typeof TRIED]
      const tried = lower.flatMap((from) =>
        upper.map((below) =>
          families.map(({ questions }, at) => outcomeOf(questions, places[at]!, [from, below], errors)),
        ),
      )
      return [kind, families.map((_, leftOut) => bestOfOthers(tried, leftOut, least, most))] as const
    })
    return chosen.map(([kind, outcomes], at) => {
      const other = chosen[1 - at]![1]
      return [
        String(errors),
        `${least} to ${most}`,
        kind,
        meanOf(outcomes.map(({ saved }) => saved)).toFixed(3),
        meanOf(outcomes.map(({ error }) => error)).toFixed(3),
        String(outcomes.filter(({ error }, family) => error < other[family]!.error).length),
      ]
    })
  })
}

/** The scale as in `scaleOf`, with the usual value of the other families. */
function onScaleOf(families: readonly ReadFamily[], leftOut: number): (confidence: number) => number {
  const refused = families
    .filter((_, at) => at !== leftOut)
    // Halfway to log-odds of 0.
    .map(({ windows }) => scaleOf(windows, { usual: 0.5 })!)
    .map(({ middle, deviation }) => 2 * (middle + REFUSED_BELOW * deviation))
  const scale = scaleOf(families[leftOut]!.windows, { usual: 1 / (1 + Math.exp(-meanOf(refused))) })!
  return (confidence) => deviationsOf(scale, oddsOf(confidence))
}

function bestOfOthers(tried: readonly (readonly Outcome[])[], leftOut: number, least: number, most: number): Outcome {
  const meanOfOthers = (outcomes: readonly Outcome[], of: keyof Outcome): number =>
    meanOf(outcomes.filter((_, at) => at !== leftOut).map((outcome) => outcome[of]))
  const [best] = tried
    .filter((outcomes) => meanOfOthers(outcomes, 'saved') >= least && meanOfOthers(outcomes, 'saved') <= most)
    .sort((one, other) => meanOfOthers(one, 'error') - meanOfOthers(other, 'error'))
  return best![leftOut]!
}

function outcomeOf(
  questions: readonly ReadQuestion[],
  placeOf: (confidence: number) => number,
  [from, below]: readonly [number, number],
  errors: number,
): Outcome {
  const judged = questions.map(({ answerable, confidence, byReader: [right, wrong] }) => {
    const place = placeOf(confidence)
    const isSpared = place < from || place >= below
    const answered = isSpared ? Number(place >= below) : (1 - errors) * Number(right) + errors * Number(wrong)
    return { answerable, isSpared, error: answerable ? 1 - answered : answered }
  })
  const errorOf = (kind: boolean): number =>
    meanOf(judged.filter(({ answerable }) => answerable === kind).map(({ error }) => error))
  return { saved: meanOf(judged.map(({ isSpared }) => Number(isSpared))), error: (errorOf(true) + errorOf(false)) / 2 }
}

function oddsOf(confidence: number): number {
  return logOdds(confidence, 1e-9)
}
