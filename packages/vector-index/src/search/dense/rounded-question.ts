/** A vector in integers of 16 bits, as the kernel multiplies it with rows of bytes. */
export interface RoundedQuestion {
  /** Two integers each, the first in the low bits; a last odd one has 0 beside it. */
  readonly pairs: Int32Array
  /** What one is worth. */
  readonly step: number
  /** Length of the difference to the vector. */
  readonly error: number
}

/** The most that the integers may add up to, so that products with bytes stay within 32 bits. */
const LARGEST_SUM = (2 ** 31 - 1) / 128

/** Rounds a vector as finely as the sums of the kernel allow. */
export function roundTo16Bits(vector: Float32Array): RoundedQuestion {
  const integers = new Int16Array(2 * Math.ceil(vector.length / 2))
  // Little-endian, as WebAssembly and every platform of Workers is.
  const pairs = new Int32Array(integers.buffer)
  let largest = 0
  let sum = 0
  for (const value of vector) {
    largest = Math.max(largest, Math.abs(value))
    sum += Math.abs(value)
  }
  if (largest === 0) return { pairs, step: 0, error: 0 }
  // Rounding may add a half to every integer.
  const levels = Math.floor(Math.min(32_767, ((LARGEST_SUM - vector.length / 2) * largest) / sum))
  const step = largest / levels
  let squaredError = 0
  for (let at = 0; at < vector.length; at++) {
    const integer = Math.round(vector[at]! / step)
    integers[at] = integer
    squaredError += (vector[at]! - integer * step) ** 2
  }
  return { pairs, step, error: Math.sqrt(squaredError) }
}
