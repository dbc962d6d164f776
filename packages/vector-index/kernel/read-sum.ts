/** Reads memory as fast as WebAssembly can: what `bench/scan.ts` holds the scan against. */

/** Sums up all 64-bit numbers, so that none is left unread. @param bytes a multiple of 64 */
export function readSum(from: usize, bytes: usize): i64 {
  let a = i64x2.splat(0)
  let b = a
  let c = a
  let d = a
  for (const end = from + bytes; from < end; from += 64) {
    a = i64x2.add(a, v128.load(from))
    b = i64x2.add(b, v128.load(from, 16))
    c = i64x2.add(c, v128.load(from, 32))
    d = i64x2.add(d, v128.load(from, 48))
  }
  const sums = i64x2.add(i64x2.add(a, b), i64x2.add(c, d))
  return i64x2.extract_lane(sums, 0) + i64x2.extract_lane(sums, 1)
}
