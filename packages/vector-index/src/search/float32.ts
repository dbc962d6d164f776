const SMALLEST_NORMAL = 2 ** -126
const LARGEST = (2 - 2 ** -23) * 2 ** 127

/** Clamps a number to the float32 range, because JSON has no infinity. */
export function withinFloat32(value: number): number {
  return Math.max(-LARGEST, Math.min(LARGEST, value))
}

/**
 * The number with the shortest decimal form that rounds to this float32: `0.1`, not `0.10000000149011612`. Clients
 * compare printed scores and vectors exactly.
 *
 * @param value any number; it is rounded to float32 first
 * @returns a number that rounds to the same float32; NaN and infinities are unchanged
 */
export function shortestFloat32(value: number): number {
  const single = Math.fround(value)
  // Six digits always survive conversion to float32 and back, except below the normal range, where fewer may.
  for (let digits = Math.abs(single) < SMALLEST_NORMAL ? 1 : 6; digits < 9; digits++) {
    const candidate = Number(single.toPrecision(digits))
    if (Math.fround(candidate) === single) return candidate
  }
  return Number(single.toPrecision(9))
}
