import type { EmbeddedIndex } from '../embedded-index.ts'
import { kindOf, type IndexSettings } from '../../settings.ts'
import type { NamespaceCount } from '../../store/namespace-table.ts'

/** What is counted of an index. */
export interface IndexCounts {
  /** The default namespace first. */
  readonly namespaces: readonly NamespaceCount[]
  /** Bytes in storage. */
  readonly sizeBytes: number
  /** Bytes of memory that the rows of one namespace may take. */
  readonly memoryBytesPerNamespace: number
}

/** `info`: what the index is and how much it holds. */
export function info({ settings, store }: EmbeddedIndex): unknown {
  const { sizeBytes, memoryBytes } = store
  return describeIndex(settings, { namespaces: store.namespaces(), sizeBytes, memoryBytesPerNamespace: memoryBytes })
}

/** The answer to `info`. A sparse index has dimension 0 and no similarity function. */
export function describeIndex(
  { dense, sparse, ...settings }: IndexSettings,
  { namespaces, sizeBytes, memoryBytesPerNamespace }: IndexCounts,
): unknown {
  return {
    vectorCount: namespaces.reduce((sum, { vectorCount }) => sum + vectorCount, 0),
    pendingVectorCount: namespaces.reduce((sum, { pendingVectorCount }) => sum + pendingVectorCount, 0),
    indexSize: sizeBytes,
    dimension: dense?.dimension ?? 0,
    similarityFunction: dense?.similarity ?? '',
    indexType: kindOf({ ...settings, ...(dense && { dense }), ...(sparse && { sparse }) }),
    ...(dense !== undefined && {
      denseIndex: {
        dimension: dense.dimension,
        similarityFunction: dense.similarity,
        embeddingModel: dense.model,
      },
    }),
    ...(sparse !== undefined && { sparseIndex: { embeddingModel: sparse.model } }),
    namespaces: Object.fromEntries(
      namespaces.map(({ name, vectorCount, pendingVectorCount }) => [name, { vectorCount, pendingVectorCount }]),
    ),
    // Not the service's: how full each namespace is.
    capacity: {
      memoryBytesPerNamespace,
      namespaces: Object.fromEntries(namespaces.map(({ name, memoryBytes }) => [name, { memoryBytes }])),
    },
  }
}
