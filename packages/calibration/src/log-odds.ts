/** Confidences and shares on the scale where evidence adds up. */

/** Confidences nearer to 0 or 1 than this have the log-odds of this, unless told otherwise. */
const NEAREST = 1e-9

/**
 * Log-odds of a share, by default −20.7..20.7; `NaN` for what is none.
 *
 * @param nearest a share nearer to 0 or 1 counts as this, above 0 and below .5
 */
export function logOdds(share: number, nearest = NEAREST): number {
  const held = Math.min(1 - nearest, Math.max(nearest, share))
  return Math.log(held / (1 - held))
}
