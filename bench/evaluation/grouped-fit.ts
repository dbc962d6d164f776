/** Logistic regression over several question sets with separate intercepts, fitted by Newton's method. */
import { solve } from '../../packages/calibration/src/cholesky.ts'

/** A labelled question as a row of features. */
export interface Row {
  readonly features: readonly number[]
  readonly answerable: boolean
}

/** The fitted model. */
export interface GroupedFit {
  /** The mean of the sets' intercepts, used for an unknown set. */
  readonly intercept: number
  /** In the order and the units of the features. */
  readonly coefficients: readonly number[]
}

/** L2 penalty on coefficients of standardised features, relative to a mean loss. */
export const L2 = 0.005

const MAX_STEPS = 50
const SETTLED = 1e-10

/**
 * Minimises the penalised log loss. Every set has its own intercept, so that differences between collections do not
 * affect coefficients; all sets have equal weight, and so do both labels within a set. Features are standardised by
 * their weighted mean and deviation. Deterministic.
 *
 * @param sets each with both labels and rows of the same number of finite features
 * @see T. Hastie, R. Tibshirani and J. Friedman, "The Elements of Statistical Learning", 2nd edition, section 4.4.1
 *   (Newton's steps) and 18.4 (L2)
 */
export function fitGrouped(sets: readonly (readonly Row[])[], l2: number = L2): GroupedFit {
  const width = sets[0]![0]!.features.length
  const size = width + sets.length
  const count = sets.reduce((sum, rows) => sum + rows.length, 0)
  const inputs = new Float64Array(count * width)
  const weights = new Float64Array(count)
  const labels = new Uint8Array(count)
  const groups = new Uint8Array(count)
  let next = 0
  sets.forEach((rows, group) => {
    const answerable = rows.filter((row) => row.answerable).length
    for (const row of rows) {
      inputs.set(row.features, next * width)
      labels[next] = row.answerable ? 1 : 0
      weights[next] = 1 / (2 * sets.length * (row.answerable ? answerable : rows.length - answerable))
      groups[next] = group
      next++
    }
  })
  const scales = standardise(inputs, weights, width)

  const point = new Float64Array(size)
  for (let step = 0; step < MAX_STEPS; step++) {
    const gradient = Array.from({ length: size }, (_, at) => (at < width ? -l2 * point[at]! : 0))
    const hessian = gradient.map((_, at) => gradient.map((__, other) => (at === other && at < width ? l2 : 0)))
    for (let row = 0; row < count; row++) {
      const own = width + groups[row]!
      let z = point[own]!
      for (let at = 0; at < width; at++) z += point[at]! * inputs[row * width + at]!
      const chance = 1 / (1 + Math.exp(-z))
      const pull = weights[row]! * (labels[row]! - chance)
      const curvature = weights[row]! * chance * (1 - chance)
      gradient[own]! += pull
      hessian[own]![own]! += curvature
      for (let at = 0; at < width; at++) {
        const value = inputs[row * width + at]!
        gradient[at]! += pull * value
        hessian[own]![at]! += curvature * value
        for (let other = 0; other <= at; other++)
          hessian[at]![other]! += curvature * value * inputs[row * width + other]!
      }
    }
    const moved = solve(hessian, gradient)
    moved.forEach((change, at) => (point[at]! += change))
    if (Math.max(...moved.map(Math.abs)) < SETTLED) break
  }
  const coefficients = scales.map(({ deviation }, at) => point[at]! / deviation)
  const meanIntercept = point.slice(width).reduce((sum, value) => sum + value, 0) / sets.length
  const shift = coefficients.reduce((sum, value, at) => sum + value * scales[at]!.mean, 0)
  return { intercept: meanIntercept - shift, coefficients }
}

interface Scale {
  readonly mean: number
  readonly deviation: number
}

/** Standardises in place; a constant feature keeps the deviation 1, so that its coefficient is 0. */
function standardise(inputs: Float64Array, weights: Float64Array, width: number): readonly Scale[] {
  return Array.from({ length: width }, (_, at): Scale => {
    let mean = 0
    weights.forEach((weight, row) => (mean += weight * inputs[row * width + at]!))
    let variance = 0
    weights.forEach((weight, row) => (variance += weight * (inputs[row * width + at]! - mean) ** 2))
    // By rounding, a constant feature may differ slightly from its mean.
    const deviation = variance > 1e-20 * (1 + mean * mean) ? Math.sqrt(variance) : 1
    weights.forEach((_, row) => {
      inputs[row * width + at] = (inputs[row * width + at]! - mean) / deviation
    })
    return { mean, deviation }
  })
}
