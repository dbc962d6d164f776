/** A linear ranker of the chunks of a question: the conditional logit model, fitted by Newton's method. */
import { solve } from '../../src/core/lib/cholesky.ts'

/** The candidates of one question. */
export interface RankedList {
  readonly candidates: readonly (readonly number[])[]
  /** Which of them answer it; at least one. */
  readonly relevant: readonly number[]
}

const L2 = 0.001
const MAX_STEPS = 50
const SETTLED = 1e-9

/**
 * The weights under which the answering chunks are the likeliest to be picked from their lists, sets weighted alike. Features
 * are standardised within the lists for the penalty. No random step.
 *
 * @see D. McFadden, "Conditional Logit Analysis of Qualitative Choice Behavior", 1974; as a loss for ranking Z. Cao et al.,
 *   "Learning to Rank: From Pairwise Approach to Listwise Approach", ICML 2007
 */
export function fitRanker(sets: readonly (readonly RankedList[])[]): readonly number[] {
  const width = sets[0]![0]!.candidates[0]!.length
  const lists = sets.flatMap((set) =>
    set.map(({ candidates, relevant }) => {
      const means = Array.from({ length: width }, (_, at) => mean(candidates.map((own) => own[at]!)))
      return {
        candidates: candidates.map((own) => own.map((value, at) => value - means[at]!)),
        relevant,
        weight: 1 / (sets.length * set.length),
      }
    }),
  )
  const deviations = Array.from({ length: width }, (_, at) => {
    let variance = 0
    for (const { candidates, weight } of lists) variance += weight * mean(candidates.map((own) => own[at]! ** 2))
    return variance > 0 ? Math.sqrt(variance) : 1
  })
  for (const list of lists) {
    list.candidates = list.candidates.map((own) => own.map((value, at) => value / deviations[at]!))
  }
  const point = new Float64Array(width)
  for (let step = 0; step < MAX_STEPS; step++) {
    const gradient = Array.from(point, (value) => -L2 * value)
    const hessian = gradient.map((_, at) => gradient.map((__, other) => (at === other ? L2 : 0)))
    for (const { candidates, relevant, weight } of lists) {
      const chances = softmax(candidates.map((own) => own.reduce((sum, value, at) => sum + value * point[at]!, 0)))
      const expected = point.map((_, at) => candidates.reduce((sum, own, place) => sum + chances[place]! * own[at]!, 0))
      for (let at = 0; at < width; at++) {
        gradient[at]! += weight * (mean(relevant.map((place) => candidates[place]![at]!)) - expected[at]!)
        for (let other = 0; other <= at; other++) {
          const product = candidates.reduce((sum, own, place) => sum + chances[place]! * own[at]! * own[other]!, 0)
          hessian[at]![other]! += weight * (product - expected[at]! * expected[other]!)
        }
      }
    }
    const moved = solve(hessian, gradient)
    moved.forEach((change, at) => (point[at]! += change))
    if (Math.max(...moved.map(Math.abs)) < SETTLED) break
  }
  return Array.from(point, (value, at) => value / deviations[at]!)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function softmax(scores: readonly number[]): readonly number[] {
  const top = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - top))
  const whole = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / whole)
}
