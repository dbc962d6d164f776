/**
 * The scan of dense rows, in AssemblyScript; `node scripts/run.mjs --with=packages/vector-index/kernel scripts/build-kernel.ts` compiles it to `packages/vector-index/src/search/dense/scan.wasm`.
 *
 * Rows stand in blocks of 32, one dimension after the other (of bytes two together, as the multiplication takes them):
 * a lane adds up one row in the order of its dimensions, exactly as a plain loop would, dimensions where the question
 * is zero are left out by leaving out steps, and no lanes must be summed at the end. `block-layout.ts` has the layout.
 *
 * @see Kuffo, Krippner and Boncz, "PDX: A Data Layout for Vector Similarity Search", 2025
 */

/** Bytes of one number of four bytes for each row of a block. */
const QUAD: usize = 128

/** What is summed up: the arguments of `scan` that are known when it is compiled. */
const INT8_PRODUCT = 0
const FLOAT32_PRODUCT = 1
const FLOAT32_DISTANCE = 2

/** Keys in the heap, and the least of them once it is full: what a key must be above to matter. */
let kept: i32 = 0
let least: f32 = -Infinity

/**
 * Scores rows of bytes.
 *
 * @param blocks addresses of the blocks; anything for one without a row to score
 * @param masks for each block a bit for each row to score
 * @param count number of blocks
 * @param gains where in a block stands what each row's sum is multiplied by
 * @param offsets where in a block stands what is taken from each row's key
 * @param steps for each pair of dimensions to visit its place in a block and the question's values, two 16-bit integers
 * @param stepsEnd where they end
 * @param factor what every sum is multiplied by as well
 * @param share how much of the offsets is taken
 * @param keys where the keys go, one for each row of each block; NaN for rows not scored
 * @param heap room for `capacity` keys
 * @param capacity how many of the best keys count, at least 1
 * @returns the least of the best keys; −∞ when there are fewer
 */
export function scanInt8(
  blocks: usize, masks: usize, count: i32, gains: usize, offsets: usize, steps: usize, stepsEnd: usize,
  factor: f32, share: f32, keys: usize, heap: usize, capacity: i32,
): f32 {
  return scan(INT8_PRODUCT, blocks, masks, count, gains, offsets, steps, stepsEnd, factor, share, keys, heap, capacity)
}

/** Scores rows of float32 by inner product. As `scanInt8`; a step is one dimension with a float32 value. */
export function scanFloat32(
  blocks: usize, masks: usize, count: i32, gains: usize, offsets: usize, steps: usize, stepsEnd: usize,
  factor: f32, share: f32, keys: usize, heap: usize, capacity: i32,
): f32 {
  return scan(FLOAT32_PRODUCT, blocks, masks, count, gains, offsets, steps, stepsEnd, factor, share, keys, heap, capacity)
}

/** Scores rows of float32 by squared distance; otherwise as `scanFloat32`. */
export function scanFloat32Distance(
  blocks: usize, masks: usize, count: i32, gains: usize, offsets: usize, steps: usize, stepsEnd: usize,
  factor: f32, share: f32, keys: usize, heap: usize, capacity: i32,
): f32 {
  return scan(FLOAT32_DISTANCE, blocks, masks, count, gains, offsets, steps, stepsEnd, factor, share, keys, heap, capacity)
}

// @ts-ignore: AssemblyScript's decorator
@inline
function scan(
  kind: i32, blocks: usize, masks: usize, count: i32, gains: usize, offsets: usize, steps: usize, stepsEnd: usize,
  factor: f32, share: f32, keys: usize, heap: usize, capacity: i32,
): f32 {
  kept = 0
  least = -Infinity
  const factors = f32x4.splat(factor)
  const shares = f32x4.splat(share)
  for (let at: usize = 0; at < (<usize>count) << 2; at += 4) {
    const mask = load<u32>(masks + at)
    const block = <usize>load<u32>(blocks + at)
    if (mask != 0) {
      let a = i32x4.splat(0)
      let b = a
      let c = a
      let d = a
      let e = a
      let f = a
      let g = a
      let h = a
      for (let step = steps; step < stepsEnd; step += 8) {
        const line = block + load<u32>(step)
        const value = v128.load_splat<i32>(step, 4)
        a = added(kind, a, line, 0, value)
        b = added(kind, b, line, 1, value)
        c = added(kind, c, line, 2, value)
        d = added(kind, d, line, 3, value)
        e = added(kind, e, line, 4, value)
        f = added(kind, f, line, 5, value)
        g = added(kind, g, line, 6, value)
        h = added(kind, h, line, 7, value)
      }
      finish(kind, a, block + gains, block + offsets, 0, factors, shares, keys)
      finish(kind, b, block + gains, block + offsets, 1, factors, shares, keys)
      finish(kind, c, block + gains, block + offsets, 2, factors, shares, keys)
      finish(kind, d, block + gains, block + offsets, 3, factors, shares, keys)
      finish(kind, e, block + gains, block + offsets, 4, factors, shares, keys)
      finish(kind, f, block + gains, block + offsets, 5, factors, shares, keys)
      finish(kind, g, block + gains, block + offsets, 6, factors, shares, keys)
      finish(kind, h, block + gains, block + offsets, 7, factors, shares, keys)
    }
    choose(mask, keys, heap, capacity)
    keys += QUAD
  }
  return least
}

/** The sums of four rows, the `four`th of the block, with one step more. */
// @ts-ignore: AssemblyScript's decorator
@inline
function added(kind: i32, sums: v128, line: usize, four: usize, value: v128): v128 {
  if (kind == INT8_PRODUCT) return i32x4.add(sums, i32x4.dot_i16x8_s(v128.load_ext<i8>(line + four * 8), value))
  if (kind == FLOAT32_PRODUCT) return f32x4.add(sums, f32x4.mul(v128.load(line + four * 16), value))
  const difference = f32x4.sub(value, v128.load(line + four * 16))
  return f32x4.add(sums, f32x4.mul(difference, difference))
}

/** Stores the keys of four rows: sum · gain · factor − offset · share. */
// @ts-ignore: AssemblyScript's decorator
@inline
function finish(
  kind: i32, sums: v128, gains: usize, offsets: usize, four: usize, factors: v128, shares: v128, keys: usize,
): void {
  const numbers = kind == INT8_PRODUCT ? f32x4.convert_i32x4_s(sums) : sums
  const product = f32x4.mul(f32x4.mul(numbers, v128.load(gains + four * 16)), factors)
  v128.store(keys + four * 16, f32x4.sub(product, f32x4.mul(v128.load(offsets + four * 16), shares)))
}

/**
 * Finds the keys that reach a threshold. Their places overwrite the keys from the beginning: no more are found than were
 * read.
 *
 * @param count number of keys, a multiple of 4
 * @returns how many were found
 */
export function collect(keys: usize, count: i32, threshold: f32): i32 {
  const thresholds = f32x4.splat(threshold)
  let found = keys
  for (let place = 0; place < count; place += 4) {
    let enough = i32x4.bitmask(f32x4.ge(v128.load(keys + ((<usize>place) << 2)), thresholds))
    while (enough != 0) {
      store<i32>(found, place + ctz(enough))
      found += 4
      enough &= enough - 1
    }
  }
  return <i32>((found - keys) >> 2)
}

/** Marks the rows of a block that were not to be scored, and offers the others to the heap. */
function choose(mask: u32, keys: usize, heap: usize, capacity: i32): void {
  for (let absent = ~mask; absent != 0; absent &= absent - 1) store<f32>(keys + ((<usize>ctz(absent)) << 2), NaN)
  for (let at: usize = 0; at < QUAD; at += 16) {
    let better = i32x4.bitmask(f32x4.gt(v128.load(keys + at), f32x4.splat(least)))
    for (; better != 0; better &= better - 1) {
      const key = load<f32>(keys + at + ((<usize>ctz(better)) << 2))
      if (key > least) offer(key, heap, capacity)
    }
  }
}

/** Puts a key into the heap, whose top is the least; when it is full, in place of that. */
function offer(key: f32, heap: usize, capacity: i32): void {
  const at = kept < capacity ? rise(key, heap) : sink(key, heap, capacity)
  store<f32>(at, key)
  if (kept == capacity) least = load<f32>(heap)
}

/** Makes the heap one longer. @returns where the key belongs */
function rise(key: f32, heap: usize): usize {
  let at = kept++
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = load<f32>(heap + ((<usize>parent) << 2))
    if (above <= key) break
    store<f32>(heap + ((<usize>at) << 2), above)
    at = parent
  }
  return heap + ((<usize>at) << 2)
}

/** Takes the top away. @returns where the key belongs */
function sink(key: f32, heap: usize, capacity: i32): usize {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= capacity) break
    let lesser = load<f32>(heap + ((<usize>child) << 2))
    if (child + 1 < capacity) {
      const other = load<f32>(heap + ((<usize>(child + 1)) << 2))
      if (other < lesser) {
        lesser = other
        child++
      }
    }
    if (lesser >= key) break
    store<f32>(heap + ((<usize>at) << 2), lesser)
    at = child
  }
  return heap + ((<usize>at) << 2)
}
