import type { MakeKernel, ScanKernel } from './kernel.ts'

const PAGE = 65_536
/** Pages taken at once: growing makes all views of the memory invalid. */
const PAGES_AT_ONCE = 16
/** A cache line, which no step of the kernel should cross. */
const LINE = 64

/** The same memory as numbers of several kinds. Valid until the next block or scratch is taken. */
export interface MemoryViews {
  readonly int8: Int8Array
  readonly uint32: Uint32Array
  readonly float32: Float32Array
  readonly float64: Float64Array
}

/**
 * The memory of a scan kernel: blocks from the bottom, and scratch for one search above them. A freed block goes to the
 * next who takes one of its size.
 */
export class KernelMemory {
  readonly kernel: ScanKernel
  readonly #free = new Map<number, number[]>()
  #views: MemoryViews
  /** Where the blocks end. Nothing is at address 0. */
  #top = LINE
  #blocksTaken = 0

  constructor(makeKernel: MakeKernel) {
    this.kernel = makeKernel()
    this.#views = viewsOf(this.kernel.memory.buffer)
  }

  /** Bytes of all blocks, free ones too. */
  get byteLength(): number {
    return this.#top
  }

  get views(): MemoryViews {
    return this.#views
  }

  /** Takes a block. @returns its address, a multiple of 64 */
  takeBlock(bytes: number): number {
    this.#blocksTaken++
    const freed = this.#free.get(bytes)?.pop()
    if (freed !== undefined) return freed
    const address = this.#top
    this.#top = aligned(address + bytes)
    this.#makeRoom(this.#top)
    return address
  }

  /** Gives a block back. */
  freeBlock(address: number, bytes: number): void {
    const freed = this.#free.get(bytes)
    if (freed === undefined) this.#free.set(bytes, [address])
    else freed.push(address)
    this.#blocksTaken--
    if (this.#blocksTaken > 0) return
    // Nothing is left: blocks of other sizes may use the room.
    this.#free.clear()
    this.#top = LINE
  }

  /** Room above the blocks. @returns its address; what stands there lasts until the next block or scratch is taken */
  scratch(bytes: number): number {
    this.#makeRoom(this.#top + bytes)
    return this.#top
  }

  #makeRoom(bytes: number): void {
    const { memory } = this.kernel
    const missing = Math.ceil((bytes - memory.buffer.byteLength) / PAGE)
    if (missing <= 0) return
    memory.grow(Math.max(missing, PAGES_AT_ONCE))
    this.#views = viewsOf(memory.buffer)
  }
}

/** The next address that begins a cache line. */
function aligned(address: number): number {
  return Math.ceil(address / LINE) * LINE
}

function viewsOf(buffer: ArrayBuffer): MemoryViews {
  return {
    int8: new Int8Array(buffer),
    uint32: new Uint32Array(buffer),
    float32: new Float32Array(buffer),
    float64: new Float64Array(buffer),
  }
}
