import type { DenseRows } from '../search/dense/dense-rows.ts'
import { KernelMemory } from '../search/dense/kernel-memory.ts'
import { KernelRows } from '../search/dense/kernel-rows.ts'
import type { MakeKernel } from '../search/dense/kernel.ts'
import { PlainRows } from '../search/dense/plain-rows.ts'
import { ProtocolError } from '../protocol-error.ts'
import { ResidentNamespace, type ResidentRow } from './resident-namespace.ts'

/** Options of what is held in memory. */
export interface ResidentOptions {
  /**
   * Bytes of rows, lists and ids that may be in memory at once. Beyond it the namespaces searched longest ago are
   * dropped. A Durable Object has 128 MB with everything else, and may share them with others.
   *
   * @default 67108864
   * @see https://developers.cloudflare.com/durable-objects/platform/limits/
   */
  readonly memoryBytes?: number
  /** Makes the kernel that scans dense rows; without one plain JavaScript does, some ten times slower. */
  readonly makeKernel?: MakeKernel | undefined
  /** Length of dense vectors. @default 0 */
  readonly dimension?: number
}

const MEBIBYTE = 1024 * 1024

/** The least that a row takes: its place, its id and a list or two, without any dimension. */
const LEAST_ROW_BYTES = 700

/** After so many loaded rows the bytes are counted. */
const ROWS_BETWEEN_COUNTS = 256

/** Namespaces in memory, within a number of bytes. */
export class ResidentNamespaces {
  readonly #memoryBytes: number
  readonly #makeKernel: MakeKernel | undefined
  readonly #dimension: number
  #kernelMemory: KernelMemory | undefined
  /** Least recently searched first. */
  readonly #byName = new Map<string, ResidentNamespace>()

  constructor({ memoryBytes = 64 * MEBIBYTE, makeKernel, dimension = 0 }: ResidentOptions) {
    this.#memoryBytes = memoryBytes
    this.#makeKernel = makeKernel
    this.#dimension = dimension
  }

  /** Bytes that the namespaces in memory take, about. */
  get byteLength(): number {
    let bytes = 0
    for (const namespace of this.#byName.values()) bytes += namespace.byteLength
    return bytes
  }

  /** A namespace if it is in memory. */
  get(name: string): ResidentNamespace | undefined {
    return this.#byName.get(name)
  }

  /**
   * A namespace that is to be searched now.
   *
   * @param rows reads its rows in insertion order, when they are not in memory
   * @throws `ProtocolError` 507 when it alone takes more than there may be
   */
  toSearch(name: string, rows: () => Iterable<ResidentRow>): ResidentNamespace {
    const known = this.#byName.get(name)
    if (known !== undefined) {
      this.#byName.delete(name)
      this.#byName.set(name, known)
      return known
    }
    const loaded = this.#load(name, rows())
    if (this.#kernelMemory === undefined || this.#kernelMemory.byteLength <= this.#memoryBytes) return loaded
    // Freed blocks of another size stand between those in use: only beginning afresh gives them back.
    this.clear()
    return this.#load(name, rows())
  }

  /** Makes room after a namespace in memory grew; drops it, too, when it grew too large. */
  grew(name: string): void {
    if (this.#byName.has(name) && !this.#makeRoomFor(name)) this.delete(name)
  }

  /**
   * Checks whether a namespace with that many rows could be searched at all.
   *
   * @throws `ProtocolError` 507 when not even the least that they take fits
   */
  requireRoomFor(name: string, rows: number): void {
    if (rows * (LEAST_ROW_BYTES + this.#dimension) > this.#memoryBytes) throw this.#tooLarge(name)
  }

  /** Drops a namespace from memory, if it is there. */
  delete(name: string): void {
    this.#byName.get(name)?.release()
    this.#byName.delete(name)
  }

  /** Drops all namespaces, and gives the kernel's memory back. */
  clear(): void {
    this.#byName.clear()
    this.#kernelMemory = undefined
  }

  /** Gives a namespace another name, dropping what had it. */
  rename(name: string, to: string): void {
    const namespace = this.#byName.get(name)
    this.delete(to)
    this.#byName.delete(name)
    if (namespace !== undefined) this.#byName.set(to, namespace)
  }

  #load(name: string, rows: Iterable<ResidentRow>): ResidentNamespace {
    const loaded = new ResidentNamespace(this.#denseRows())
    this.#byName.set(name, loaded)
    let count = 0
    for (const row of rows) {
      loaded.put(row)
      count++
      if (count % ROWS_BETWEEN_COUNTS === 0) this.#requireRoom(name)
    }
    this.#requireRoom(name)
    return loaded
  }

  #requireRoom(name: string): void {
    if (this.#makeRoomFor(name)) return
    this.delete(name)
    throw this.#tooLarge(name)
  }

  /** Drops other namespaces, the one searched longest ago first. @returns whether that was enough */
  #makeRoomFor(name: string): boolean {
    let bytes = this.byteLength
    for (const [other, namespace] of this.#byName) {
      if (bytes <= this.#memoryBytes) return true
      if (other === name) continue
      bytes -= namespace.byteLength
      this.delete(other)
    }
    return bytes <= this.#memoryBytes
  }

  #denseRows(): DenseRows {
    if (this.#makeKernel === undefined) return new PlainRows()
    this.#kernelMemory ??= new KernelMemory(this.#makeKernel)
    return new KernelRows(this.#kernelMemory, this.#dimension)
  }

  #tooLarge(name: string): ProtocolError {
    const limit = `${Number((this.#memoryBytes / MEBIBYTE).toFixed(2))} MiB`
    return new ProtocolError(
      507,
      `Namespace "${name}" takes more than the ${limit} of memory that there are to search it`,
    )
  }
}
