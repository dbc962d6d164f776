/** What `scan.wasm` exports; `packages/vector-index/kernel/scan.ts` is its source. */
export interface ScanKernel {
  readonly memory: {
    readonly buffer: ArrayBuffer
    /** @param pages of 64 KiB */
    grow(pages: number): number
  }
  /**
   * Inner products of rows of bytes with a question of 16-bit integers.
   *
   * @param rows address of the first row; they stand one behind the other
   * @param stride bytes of a row, a multiple of 16
   * @param question address of as many 16-bit integers
   * @param out address of a 32-bit integer for each row
   */
  dots(rows: number, count: number, stride: number, question: number, out: number): void
}
