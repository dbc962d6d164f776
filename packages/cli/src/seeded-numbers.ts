/**
 * Reproducible random numbers in [0, 1), so that a report on the same results has the same intervals.
 *
 * @param seed whole
 * @see G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003
 */
export function seededNumbers(seed: number): () => number {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 0x1_0000_0000
  }
}
