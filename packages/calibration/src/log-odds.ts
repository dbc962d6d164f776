/** Log-odds of confidences and shares. */

/** Default distance from 0 and 1 to which confidences are clamped. */
const NEAREST = 1e-9

/**
 * Log-odds of a share, by default −20.7..20.7; `NaN` for `NaN`.
 *
 * @param nearest distance from 0 and 1 to which shares are clamped, above 0 and below .5
 */
export function logOdds(share: number, nearest = NEAREST): number {
  const held = Math.min(1 - nearest, Math.max(nearest, share))
  return Math.log(held / (1 - held))
}
