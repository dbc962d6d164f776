import { BoundedTop, withScores, type DenseRow, type DenseSearch, type ScoredRow } from '../scan.ts'
import { BlockRows } from './block-rows.ts'
import type { DenseRows } from './dense-rows.ts'
import type { KernelMemory } from './kernel-memory.ts'
import { Places } from './places.ts'
import { prepareQuestion, type Question } from './similarity.ts'

/** Dense rows in the memory of a scan kernel. Rows of both encodings may stand side by side. */
export class KernelRows implements DenseRows {
  readonly #int8: PlacedRows
  readonly #float32: PlacedRows

  /** @param dimension length of every row */
  constructor(memory: KernelMemory, dimension: number) {
    this.#int8 = new PlacedRows(new BlockRows(memory, 'int8', dimension))
    this.#float32 = new PlacedRows(new BlockRows(memory, 'float32', dimension))
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
    return this.#int8.rowAt(slot) ?? this.#float32.rowAt(slot)
  }

  search(vector: Float32Array, topK: number, search: DenseSearch = {}): readonly ScoredRow[] {
    const { similarity = 'COSINE', matches } = search
    const question = prepareQuestion(vector, similarity)
    if (topK < 1 || (question.squares === 0 && similarity === 'COSINE')) return []
    const best = new BoundedTop(topK)
    this.#int8.search(question, topK, matches, best)
    this.#float32.search(question, topK, matches, best)
    return withScores(question, best.sorted(), (slot) => this.rowAt(slot)!)
  }
}

/** Rows of one encoding, close together in their blocks in any slots. */
class PlacedRows {
  readonly #places = new Places()
  readonly #rows: BlockRows

  constructor(rows: BlockRows) {
    this.#rows = rows
  }

  get byteLength(): number {
    return this.#rows.byteLength
  }

  put(slot: number, row: DenseRow): void {
    this.#rows.put(this.#places.take(slot), row)
  }

  remove(slot: number): void {
    const place = this.#places.free(slot)
    if (place >= 0) this.#rows.remove(place)
  }

  rowAt(slot: number): DenseRow | undefined {
    const place = this.#places.find(slot)
    return place < 0 ? undefined : this.#rows.rowAt(place)
  }

  search(question: Question, topK: number, matches: DenseSearch['matches'], best: BoundedTop): void {
    const bySlot = {
      offer: (place: number, near: number) => best.offer(this.#places.slotAt(place), near),
    }
    this.#rows.search(question, topK, matches && ((place) => matches(this.#places.slotAt(place))), bySlot)
  }
}
