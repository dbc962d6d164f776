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

/**
 * Makes a kernel with a memory of its own. Workers import `scan.wasm` as a module, which they may not compile, and Node
 * compiles it from the file: `() => new WebAssembly.Instance(module).exports` with either.
 */
export type MakeKernel = () => ScanKernel

const PAGE = 65_536

/** The kernel in plain JavaScript, some ten times slower: what the compiled one must equal. */
export function plainKernel(): ScanKernel {
  let buffer = new ArrayBuffer(PAGE)
  return {
    memory: {
      get buffer() {
        return buffer
      },
      grow(pages) {
        const before = buffer
        buffer = new ArrayBuffer(before.byteLength + pages * PAGE)
        new Uint8Array(buffer).set(new Uint8Array(before))
        return before.byteLength / PAGE
      },
    },
    dots(rows, count, stride, question, out) {
      const values = new Int8Array(buffer, rows, count * stride)
      const asked = new Int16Array(buffer, question, stride)
      const sums = new Int32Array(buffer, out, count)
      for (let row = 0; row < count; row++) {
        let sum = 0
        for (let at = 0; at < stride; at++) sum += values[row * stride + at]! * asked[at]!
        sums[row] = sum
      }
    },
  }
}
