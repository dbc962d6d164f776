import { BoundedTop, falling, type ScoredRow } from '../../../packages/vector-index/src/search/best.ts'
import { blockRow, packed, unpacked } from '../../../packages/vector-index/src/search/block.ts'
import { searchDense } from '../../../packages/vector-index/src/search/dense.ts'
import {
  nearness,
  prepareQuestion,
  scoreInFloat32,
  type Similarity,
} from '../../../packages/vector-index/src/search/similarity.ts'
import { NO_SPARSE } from '../../../packages/vector-index/src/search/vectors.ts'
import { loadKernel } from '../../../scripts/load-kernel.ts'

/** How rows are searched in tests. */
export interface TestSearch {
  readonly similarity?: Similarity
  readonly matches?: (position: number) => boolean
}

type TestSearching = (vector: Float32Array, topK: number, search?: TestSearch) => readonly ScoredRow[]

/** Dense rows in blocks of a hundred, with the vectors that they are read from. */
export interface TestRows {
  /** Rows that were read to be scored. */
  readonly read: () => number
  readonly put: (position: number, vector: Float32Array<ArrayBuffer>) => void
  readonly search: TestSearching
  /** What every row scored by itself gives. */
  readonly twin: TestSearching
}

const kernel = loadKernel()

export function testRows(): TestRows {
  const vectors = new Map<number, Float32Array<ArrayBuffer>>()
  let read = 0
  let blocks: ReturnType<typeof unpacked>[] | undefined
  const made = () => {
    const rows = Array.from(vectors, ([position, dense]) => blockRow(position, { dense, sparse: NO_SPARSE }))
    rows.sort((a, b) => a.position - b.position)
    return Array.from({ length: Math.ceil(rows.length / 100) }, (_, at) =>
      unpacked(packed(rows.slice(100 * at, 100 * (at + 1)))),
    )
  }
  return {
    read: () => read,
    put(position, vector) {
      vectors.set(position, vector)
      blocks = undefined
    },
    search(vector, topK, { similarity = 'COSINE', matches = () => true } = {}) {
      blocks ??= made()
      return searchDense(vector, {
        similarity,
        topK,
        blocks,
        isFound: matches,
        kernel,
        read(positions) {
          read += positions.length
          return positions.map((position) => ({ position, dense: vectors.get(position)! }))
        },
      })
    },
    twin(vector, topK, { similarity = 'COSINE', matches = () => true } = {}) {
      const question = prepareQuestion(vector, similarity)
      if (similarity === 'COSINE' && question.squares === 0) return []
      const best = new BoundedTop(topK)
      for (const [position, row] of vectors) if (matches(position)) best.offer(position, nearness(question, row))
      return falling(best.sorted(), (position) => scoreInFloat32(question, vectors.get(position)!))
    },
  }
}
