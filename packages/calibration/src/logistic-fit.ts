/** Logistic regression by Newton's method: deterministic, and exact to rounding. */
import { dot } from 'hono-rag-gate/core/lib'
import { solve } from './cholesky.ts'

/** One example. */
export interface Example {
  readonly features: readonly number[]
  /** 0 or 1. */
  readonly label: 0 | 1
  /** How much it counts, 0 and up. Weights are divided by their sum, so only their ratios matter. */
  readonly weight: number
  /** Log-odds that another model gives it: what is fitted is added to them. Finite. @default 0 */
  readonly offset?: number
}

/** Settings of `fitLogistic`. */
export interface LogisticFitOptions {
  /**
   * Half of this times the squared length of the coefficients of standardised features is added to the mean loss;
   * above 0. The intercept is free.
   */
  readonly l2: number
}

/** A fitted model: the chance of label 1 is 1 / (1 + e^−(intercept + Σ coefficient · feature)). */
export interface LogisticFit {
  readonly intercept: number
  /** In the order and the units of the features. */
  readonly coefficients: readonly number[]
}

const MAX_STEPS = 50
const SETTLED = 1e-12

/**
 * The model with the least penalised weighted log loss. Features are standardised first by their weighted mean and
 * deviation, so that the penalty treats them alike; a feature that never varies gets the coefficient 0. The order of
 * the examples matters no further than rounding.
 *
 * @param examples at least one, with the same number of finite features each
 * @see T. Hastie, R. Tibshirani and J. Friedman, "The Elements of Statistical Learning", 2nd edition, section 4.4.1
 *   (Newton's steps) and 18.4 (L2)
 */
export function fitLogistic(examples: readonly Example[], { l2 }: LogisticFitOptions): LogisticFit {
  const total = examples.reduce((sum, { weight }) => sum + weight, 0)
  const scales = scalesOf(examples, total)
  const rows = examples.map(({ features, label, weight, offset = 0 }) => ({
    // The intercept is the coefficient of a feature that is always 1.
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
    // The loss is convex: a shorter step in this direction always lowers it, until rounding is all that is left.
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
    // A feature that never varies stands at its mean: any deviation leaves it at 0.
    return { mean, deviation: variance > 0 ? Math.sqrt(variance) : 1 }
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

/** Minus the inverse of the Hessian times the gradient. */
function newtonDirection(rows: readonly Row[], point: readonly number[], l2: number): number[] {
  const size = point.length
  const descent = point.map((value, at) => (at === 0 ? 0 : -l2 * value))
  // A trace on the intercept, too: where every example has one label, nothing else bounds it.
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
