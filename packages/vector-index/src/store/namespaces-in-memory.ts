import { KernelMemory } from '../search/dense/kernel-memory.ts'
import { KernelRows } from '../search/dense/kernel-rows.ts'
import type { MakeKernel } from '../search/dense/kernel.ts'
import { ProtocolError } from '../protocol-error.ts'
import { ResidentNamespace, type LoadedRow } from './resident-namespace.ts'

/** Options of what is held in memory. */
export interface MemoryOptions {
  /**
   * Bytes that the rows of one namespace may take. A Durable Object has 128 MB with everything else; one of 50,000 rows of
   * 384 float32 numbers takes 84 MB.
   *
   * @default 92274688
   * @see https://developers.cloudflare.com/durable-objects/platform/limits/
   */
  readonly memoryBytes?: number
  /** Makes the kernel that scans dense rows; without one plain JavaScript does, some ten times slower. */
  readonly makeKernel?: MakeKernel | undefined
  /** Length of dense vectors. @default 0 */
  readonly dimension?: number
}

const MEBIBYTE = 1024 * 1024

/** Bytes that the rows of one namespace may take unless told otherwise. */
export const MEMORY_BYTES = 88 * MEBIBYTE

/** Bytes of metadata kept for filters, however full the namespace is. */
const LEAST_COLUMN_BYTES = 8 * MEBIBYTE

/** Rows that are read in one step of loading: some ten milliseconds. */
const ROWS_A_STEP = 500

/** Reads rows in insertion order. @param after position of the row before; -1 for the first */
export type ReadPage = (after: number, limit: number) => readonly LoadedRow[]

/** The namespaces of a storage that are in memory. Each has a memory of its own, so none makes another leave. */
export class NamespacesInMemory {
  /** Bytes that the rows of one namespace may take. */
  readonly memoryBytes: number
  readonly #makeKernel: MakeKernel | undefined
  readonly #dimension: number
  readonly #byName = new Map<string, ResidentNamespace>()

  constructor({ memoryBytes = MEMORY_BYTES, makeKernel, dimension = 0 }: MemoryOptions) {
    this.memoryBytes = memoryBytes
    this.#makeKernel = makeKernel
    this.#dimension = dimension
  }

  /** A namespace if it is in memory. */
  get(name: string): ResidentNamespace | undefined {
    return this.#byName.get(name)
  }

  /**
   * Loads a namespace that is not in memory, step by step, so that others can be answered in between. It must not be
   * written to meanwhile.
   *
   * @throws `ProtocolError` 507 when it takes more than there may be; no write that was taken leads there
   */
  *load(name: string, read: ReadPage): Generator<undefined, ResidentNamespace> {
    const loaded = new ResidentNamespace(
      this.#makeKernel && new KernelRows(new KernelMemory(this.#makeKernel), this.#dimension),
    )
    for (let after = -1; ;) {
      const rows = read(after, ROWS_A_STEP)
      for (const row of rows) loaded.put(row)
      if (loaded.byteLength > this.memoryBytes) throw this.tooLarge(name)
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS_A_STEP) break
      after = last.position
      yield
    }
    loaded.compact()
    this.#byName.set(name, loaded)
    return loaded
  }

  /** Bytes of metadata that may be kept for filters of a namespace. */
  columnBytes(namespace: ResidentNamespace): number {
    return Math.max(LEAST_COLUMN_BYTES, this.memoryBytes - namespace.byteLength)
  }

  /** Drops a namespace from memory, if it is there. */
  delete(name: string): void {
    this.#byName.delete(name)
  }

  /** Drops all namespaces. */
  clear(): void {
    this.#byName.clear()
  }

  /** Gives a namespace another name, dropping what had it. */
  rename(name: string, to: string): void {
    const namespace = this.#byName.get(name)
    this.#byName.delete(name)
    this.#byName.delete(to)
    if (namespace !== undefined) this.#byName.set(to, namespace)
  }

  /** The error of a namespace that would take more than there may be. */
  tooLarge(name: string): ProtocolError {
    const limit = `${Number((this.memoryBytes / MEBIBYTE).toFixed(2))} MiB`
    return new ProtocolError(
      507,
      `Namespace "${name}" would take more than the ${limit} of memory that there are to search it. ` +
        'Spread it over several namespaces, or move to an engine made for production with index:export',
    )
  }
}
