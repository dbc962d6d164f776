const SMALLEST_NORMAL = 2 ** -126

/**
 * The number whose shortest decimal form names this float32: `0.1`, not `0.10000000149011612`. Clients compare scores
 * and vectors exactly as they are printed.
 *
 * @param value any number; it is rounded to float32 first
 * @returns a number that rounds to the same float32; NaN and the infinities as they are
 */
export function shortestFloat32(value: number): number {
  const single = Math.fround(value)
  if (!Number.isFinite(single) || single === 0) return single
  // Six digits always survive the way to float32 and back, except below the normal range, where fewer may do.
  for (let digits = Math.abs(single) < SMALLEST_NORMAL ? 1 : 6; digits < 9; digits++) {
    const candidate = Number(single.toPrecision(digits))
    if (Math.fround(candidate) === single) return candidate
  }
  return Number(single.toPrecision(9))
}
