/**
 * Scores the rows of many blocks.
 *
 * @param blocks address of the blocks' addresses; those of blocks without a row to score are not followed
 * @param masks address of a word for each block, with a bit for each row to score
 * @param count number of blocks
 * @param gains where in a block stands what each row's sum is multiplied by
 * @param offsets where in a block stands what is taken from each row's key
 * @param steps address of what is visited: a place in a block and the question's value there
 * @param factor what every sum is multiplied by as well
 * @param share how much of the offsets is taken
 * @param keys address where the keys go, one for each row of each block; NaN for rows not scored
 * @param heap address with room for `capacity` keys
 * @param capacity how many of the best keys count, at least 1
 * @returns the least of the best keys; −∞ when there are fewer
 */
export type ScanBlocks = (
  blocks: number,
  masks: number,
  count: number,
  gains: number,
  offsets: number,
  steps: number,
  stepsEnd: number,
  factor: number,
  share: number,
  keys: number,
  heap: number,
  capacity: number,
) => number

/** What `scan.wasm` exports; `packages/vector-index/kernel/scan.ts` is its source. */
export interface ScanKernel {
  readonly memory: {
    readonly buffer: ArrayBuffer
    /** @param pages of 64 KiB */
    grow(pages: number): number
  }
  readonly scanInt8: ScanBlocks
  readonly scanFloat32: ScanBlocks
  readonly scanFloat32Distance: ScanBlocks
  /** Overwrites keys by the places of those that reach the threshold. @returns how many */
  collect(keys: number, count: number, threshold: number): number
}

/**
 * Makes a kernel with a memory of its own. Workers import `scan.wasm` as a module, which they may not compile, and Node
 * compiles it from the file: `() => new WebAssembly.Instance(module).exports` with either.
 */
export type MakeKernel = () => ScanKernel
