import { BoundedTop, type DenseRow, type DenseSearch, type ScoredRow } from '../scan.ts'
import { BlockRows } from './block-rows.ts'
import type { DenseRows } from './dense-rows.ts'
import type { KernelMemory } from './kernel-memory.ts'
import { prepareQuestion } from './similarity.ts'

/** Dense rows in the memory of a scan kernel. Rows of both encodings may stand side by side. */
export class KernelRows implements DenseRows {
  readonly #int8: BlockRows
  readonly #float32: BlockRows

  /** @param dimension length of every row */
  constructor(memory: KernelMemory, dimension: number) {
    this.#int8 = new BlockRows(memory, 'int8', dimension)
    this.#float32 = new BlockRows(memory, 'float32', dimension)
  }

  get byteLength(): number {
    return this.#int8.byteLength + this.#float32.byteLength
  }

  put(slot: number, row: DenseRow): void {
    const [own, other] = row.encoding === 'int8' ? [this.#int8, this.#float32] : [this.#float32, this.#int8]
    other.remove(slot)
    own.put(slot, row)
  }

  remove(slot: number): void {
    this.#int8.remove(slot)
    this.#float32.remove(slot)
  }

  rowAt(slot: number): DenseRow | undefined {
    if (this.#int8.has(slot)) return this.#int8.rowAt(slot)
    return this.#float32.has(slot) ? this.#float32.rowAt(slot) : undefined
  }

  search(vector: Float32Array, topK: number, search: DenseSearch = {}): readonly ScoredRow[] {
    const { similarity = 'COSINE', matches } = search
    const question = prepareQuestion(vector, similarity)
    if (topK < 1 || (question.squares === 0 && similarity === 'COSINE')) return []
    const best = new BoundedTop(topK)
    this.#int8.search(question, topK, matches, best)
    this.#float32.search(question, topK, matches, best)
    return best.sorted()
  }

  release(): void {
    this.#int8.release()
    this.#float32.release()
  }
}
