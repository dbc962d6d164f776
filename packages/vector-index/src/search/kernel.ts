/** Exports of `scan.wasm`; its source is `packages/vector-index/kernel/scan.ts`. */
export interface ScanKernel {
  readonly memory: {
    readonly buffer: ArrayBuffer
    /** @param pages number of pages of 64 KiB */
    grow(pages: number): number
  }
  /**
   * Inner products of byte rows with a question of 16-bit integers.
   *
   * @param rows address of the first row; rows are consecutive
   * @param stride bytes per row, a multiple of 16
   * @param question address of `stride` 16-bit integers
   * @param out address for one 32-bit integer per row
   */
  dots(rows: number, count: number, stride: number, question: number, out: number): void
}
