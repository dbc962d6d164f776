/**
 * The scan of dense rows, in AssemblyScript. Compiles to `packages/vector-index/src/search/scan.wasm`:
 *
 *   node scripts/run.mjs --with=packages/vector-index/kernel scripts/build-kernel.ts
 */

/**
 * Inner products of byte rows with a question of 16-bit integers.
 *
 * @param rows address of the first row; rows are consecutive
 * @param count number of rows
 * @param stride bytes per row, a multiple of 16
 * @param question address of `stride` 16-bit integers
 * @param out address for one 32-bit integer per row
 */
export function dots(rows: usize, count: i32, stride: usize, question: usize, out: usize): void {
  for (const end = out + ((<usize>count) << 2); out < end; out += 4) {
    let a = i32x4.splat(0)
    let b = a
    for (let at: usize = 0; at < stride; at += 16) {
      const values = v128.load(rows + at)
      const asked = question + 2 * at
      a = i32x4.add(a, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(values), v128.load(asked)))
      b = i32x4.add(b, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(values), v128.load(asked, 16)))
    }
    const sums = i32x4.add(a, b)
    const two = i32x4.extract_lane(sums, 0) + i32x4.extract_lane(sums, 1)
    store<i32>(out, two + i32x4.extract_lane(sums, 2) + i32x4.extract_lane(sums, 3))
    rows += stride
  }
}
