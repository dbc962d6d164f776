/** Logistic regression by Newton's method: deterministic, and exact up to rounding. */
import { dot } from 'hono-rag-gate/core/lib'
import { solve } from './cholesky.ts'

/** One example. */
export interface Example {
  readonly features: readonly number[]
  /** 0 or 1. */
  readonly label: 0 | 1
  /** Weight of the example, 0 and up; normalised by the sum of weights. */
  readonly weight: number
  /** Log-odds from another model, to which the fit is added. Finite. @default 0 */
  readonly offset?: number
}

/** Settings of `fitLogistic`. */
export interface LogisticFitOptions {
  /**
   * L2 penalty, above 0: half of this times the squared norm of the coefficients of standardised features is added to
   * the mean loss. The intercept is not penalised.
   */
  readonly l2: number
}

/** A fitted model: the probability of label 1 is 1 / (1 + e^−(intercept + Σ coefficient · feature)). */
export interface LogisticFit {
  readonly intercept: number
  /** In the order and the units of the features. */
  readonly coefficients: readonly number[]
}

const MAX_STEPS = 50
const SETTLED = 1e-12
/** Deviation, as a share of the mean, up to which a feature counts as constant. */
const CONSTANT_WITHIN = 1e-12

/**
 * Minimises the penalised weighted log loss. Features are standardised by their weighted mean and deviation, so that
 * the penalty treats them alike; a constant feature gets the coefficient 0. The result does not depend on the order of
 * the examples, except for rounding.
 *
 * @param examples at least one, all with the same number of finite features
 * @see T. Hastie, R. Tibshirani and J. Friedman, "The Elements of Statistical Learning", 2nd edition, section 4.4.1
 *   (Newton's steps) and 18.4 (L2)
 */
export function fitLogistic(examples: readonly Example[], { l2 }: LogisticFitOptions): LogisticFit {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const scales = scalesOf(examples, total)
  const rows = examples.map(({ features, label, weight, offset = 0 }) => ({
    // The intercept is the coefficient of a constant feature 1.
    inputs: [1, ...scales.map(({ mean, deviation }, at) => (features[at]! - mean) / deviation)],
    label,
    weight: weight / total,
    offset,
  }))
  let point = rows[0]!.inputs.map(() => 0)
  let loss = lossAt(rows, point, l2)
  for (let step = 0; step < MAX_STEPS; step++) {
    const direction = newtonDirection(rows, point, l2)
    let length = 1
    let next = point
    let nextLoss = Infinity
    // The loss is convex, so a short enough step in this direction lowers it, down to rounding errors.
    while (length > SETTLED && !(nextLoss <= loss)) {
      next = point.map((value, at) => value + length * direction[at]!)
      nextLoss = lossAt(rows, next, l2)
      length /= 2
    }
    if (!(nextLoss <= loss)) break
    const moved = Math.max(...next.map((value, at) => Math.abs(value - point[at]!)))
    point = next
    loss = nextLoss
    if (moved < SETTLED) break
  }
  const [standardIntercept = 0, ...standard] = point
  const coefficients = standard.map((value, at) => value / scales[at]!.deviation)
  const intercept = coefficients.reduce((sum, value, at) => sum - value * scales[at]!.mean, standardIntercept)
  return { intercept, coefficients }
}

interface Row {
  readonly inputs: readonly number[]
  readonly label: 0 | 1
  readonly weight: number
  readonly offset: number
}

interface Scale {
  readonly mean: number
  readonly deviation: number
}

function scalesOf(examples: readonly Example[], total: number): Scale[] {
  return examples[0]!.features.map((_, at) => {
    const mean = examples.reduce((sum, { features, weight }) => sum + weight * features[at]!, 0) / total
    const variance =
      examples.reduce((sum, { features, weight }) => sum + weight * (features[at]! - mean) ** 2, 0) / total
    const deviation = Math.sqrt(variance)
    // A constant feature becomes 0 with any deviation; its own may be the rounding error of its mean.
    return { mean, deviation: deviation > CONSTANT_WITHIN * Math.abs(mean) ? deviation : 1 }
  })
}

function lossAt(rows: readonly Row[], point: readonly number[], l2: number): number {
  let loss = (l2 / 2) * point.slice(1).reduce((sum, value) => sum + value * value, 0)
  for (const { inputs, label, weight, offset } of rows) {
    const z = offset + dot(inputs, point)
    // log(1 + e^z) − label · z, without overflow.
    loss += weight * (Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))) - label * z)
  }
  return loss
}

/** The Newton direction: minus the inverse of the Hessian times the gradient. */
function newtonDirection(rows: readonly Row[], point: readonly number[], l2: number): number[] {
  const size = point.length
  const descent = point.map((value, at) => (at === 0 ? 0 : -l2 * value))
  // A tiny penalty on the intercept keeps it bounded if all examples have the same label.
  const hessian = point.map((_, row) => point.map((__, column) => (row === column ? (row === 0 ? 1e-12 : l2) : 0)))
  for (const { inputs, label, weight, offset } of rows) {
    const chance = 1 / (1 + Math.exp(-offset - dot(inputs, point)))
    const pull = weight * (label - chance)
    const curvature = weight * chance * (1 - chance)
    for (let row = 0; row < size; row++) {
      descent[row]! += pull * inputs[row]!
      for (let column = 0; column <= row; column++) {
        hessian[row]![column]! += curvature * inputs[row]! * inputs[column]!
      }
    }
  }
  return solve(hessian, descent)
}
