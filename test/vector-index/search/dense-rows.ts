import { BoundedTop, falling, type ScoredRow } from '../../../packages/vector-index/src/search/best.ts'
import { DenseRows } from '../../../packages/vector-index/src/search/dense.ts'
import type { ScanKernel } from '../../../packages/vector-index/src/search/kernel.ts'
import {
  nearness,
  prepareQuestion,
  scoreInFloat32,
  type Similarity,
} from '../../../packages/vector-index/src/search/similarity.ts'

/** How rows are searched in tests. */
export interface TestSearch {
  readonly similarity?: Similarity
  readonly matches?: (slot: number) => boolean
}

type TestSearching = (vector: Float32Array, topK: number, search?: TestSearch) => readonly ScoredRow[]

/** Dense rows with the vectors that they are read from. */
export interface TestRows {
  readonly rows: DenseRows
  /** Rows that were read to be scored. */
  readonly read: () => number
  readonly put: (slot: number, vector: Float32Array) => void
  readonly search: TestSearching
  /** What every row scored by itself gives. */
  readonly twin: TestSearching
}

export function testRows(dimension: number, kernel?: ScanKernel): TestRows {
  const rows = new DenseRows(dimension, kernel)
  const vectors = new Map<number, Float32Array>()
  let read = 0
  return {
    rows,
    read: () => read,
    put(slot, vector) {
      rows.put(slot, vector)
      vectors.set(slot, vector)
    },
    search: (vector, topK, { similarity = 'COSINE', matches = () => true } = {}) =>
      rows.search(vector, {
        similarity,
        topK,
        isFound: (slot) => vectors.has(slot) && matches(slot),
        read(slots) {
          read += slots.length
          return new Map(slots.map((slot) => [slot, vectors.get(slot)!]))
        },
      }),
    twin(vector, topK, { similarity = 'COSINE', matches = () => true } = {}) {
      const question = prepareQuestion(vector, similarity)
      if (similarity === 'COSINE' && question.squares === 0) return []
      const best = new BoundedTop(topK)
      for (const [slot, row] of vectors) if (matches(slot)) best.offer(slot, nearness(question, row))
      return falling(best.sorted(), (slot) => scoreInFloat32(question, vectors.get(slot)!))
    },
  }
}
