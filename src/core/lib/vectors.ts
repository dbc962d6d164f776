/** Inner product of two vectors of equal dimension; for unit vectors it is their cosine. */
export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

/** Cosine of two vectors, −1..1; NaN for different dimensions, or if one is zero. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  return a.length === b.length ? dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)) : Number.NaN
}
