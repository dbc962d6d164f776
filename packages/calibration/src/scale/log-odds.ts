/** Shares on the scale where they add up. */

/** Log-odds of a share; nearer to 0 or 1 than `nearest` it counts as that. */
export function logOdds(share: number, nearest: number): number {
  const held = Math.min(1 - nearest, Math.max(nearest, share))
  return Math.log(held / (1 - held))
}
