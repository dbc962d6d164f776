/** The upper tail of the normal distribution, and its inverse. */

/**
 * Share of a normal distribution above `z` deviations from its mean.
 *
 * @returns 0..1, with a relative error below 2e-7; 0 and 1 for the infinities
 * @see W. Press et al., "Numerical Recipes in C", 2nd edition, section 6.2 (`erfcc`, a Chebyshev fit)
 */
export function normalTail(z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.5 * x)
  const fit = CHEBYSHEV.reduceRight((sum, coefficient) => sum * t + coefficient, 0)
  const above = 0.5 * t * Math.exp(-x * x + fit)
  return z >= 0 ? above : 1 - above
}

const CHEBYSHEV = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
  0.17087277,
]

/** Beyond this every tail is 0 in floating point. */
const FARTHEST = 38
const HALVINGS = 60

/**
 * How many deviations above the mean the upper tail with a given share begins.
 *
 * @param tail above 0, below 1
 */
export function deviationsOfTail(tail: number): number {
  let [low, high] = [-FARTHEST, FARTHEST]
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2
    if (normalTail(middle) > tail) low = middle
    else high = middle
  }
  return (low + high) / 2
}
