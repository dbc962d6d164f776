import { compileAssemblyScript } from '../../scripts/build-kernel.ts'

const MEBIBYTE = 1024 * 1024
/** Far more than a cache holds. */
const BUFFER = 256 * MEBIBYTE

/** What `packages/vector-index/kernel/read-sum.ts` exports. */
interface ReadSum {
  readonly memory: WebAssembly.Memory
  readonly readSum: (from: number, bytes: number) => bigint
}

/** Bytes a second that this machine gives one thread, measured anew at every call. */
export interface Bandwidth {
  /** Reading `bytes` over and over, by SIMD in WebAssembly: from the cache when they fit in it. */
  readonly read: (bytes: number) => number
  /** Copying with `memcpy`; each byte is read and written. */
  readonly copied: () => number
}

/** Makes the buffer that is read. */
export async function openBandwidth(): Promise<Bandwidth> {
  const module = new WebAssembly.Module(await compileAssemblyScript('packages/vector-index/kernel/read-sum.ts'))
  // The interface describes what the source exports.
  const { memory, readSum } = new WebAssembly.Instance(module).exports as unknown as ReadSum
  memory.grow(BUFFER / 65_536)
  const buffer = new Uint8Array(memory.buffer)
  // Pages that were never written are all the same page.
  buffer.fill(1)
  return {
    read(bytes) {
      const size = Math.min(BUFFER, Math.ceil(bytes / 64) * 64)
      const times = Math.max(1, Math.round(BUFFER / 16 / size))
      const from = performance.now()
      for (let time = 0; time < times; time++) readSum(0, size)
      return (times * size * 1000) / (performance.now() - from)
    },
    copied() {
      const from = performance.now()
      buffer.copyWithin(0, BUFFER / 2, BUFFER)
      return (BUFFER / 2) * (1000 / (performance.now() - from))
    },
  }
}
