import type { EmbeddedIndex } from '../embedded-index.ts'
import { kindOf } from '../../settings.ts'

/** `info`: what the index is and how much it holds. A sparse index has dimension 0 and no similarity function. */
export function info({ settings, store }: EmbeddedIndex): unknown {
  const { dense, sparse } = settings
  const counts = store.namespaces()
  return {
    vectorCount: counts.reduce((sum, { vectorCount }) => sum + vectorCount, 0),
    pendingVectorCount: counts.reduce((sum, { pendingVectorCount }) => sum + pendingVectorCount, 0),
    indexSize: store.sizeBytes,
    dimension: dense?.dimension ?? 0,
    similarityFunction: dense?.similarity ?? '',
    indexType: kindOf(settings),
    ...(dense !== undefined && {
      denseIndex: {
        dimension: dense.dimension,
        similarityFunction: dense.similarity,
        embeddingModel: dense.model,
      },
    }),
    ...(sparse !== undefined && { sparseIndex: { embeddingModel: sparse.model } }),
    capacity: {
      memoryBytesPerNamespace: store.memoryBytes,
      namespaces: Object.fromEntries(counts.map(({ name, memoryBytes }) => [name, { memoryBytes }])),
    },
    namespaces: Object.fromEntries(
      counts.map(({ name, vectorCount, pendingVectorCount }) => [name, { vectorCount, pendingVectorCount }]),
    ),
  }
}
