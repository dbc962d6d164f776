/** Kinds of indexes: their parts, which of them embed texts, and the similarity of the dense part. */
import { misconfigured } from './misconfigured.ts'
import { oneOf, type OptionKinds, required, string } from 'hono-rag-gate/core/lib'
import type { Embedding } from 'hono-rag-gate/ports'

/** Similarity function of a dense part. */
export type Similarity = 'cosine' | 'euclidean' | 'dot-product'

/** The kind of an index, to configure it instead of requesting `info`. */
export interface IndexKind {
  readonly type: 'dense' | 'sparse' | 'hybrid'
  /** @default 'cosine' */
  readonly similarity?: Similarity
  /**
   * Hosted model of the sparse part; `''` if the client supplies sparse vectors.
   *
   * @default 'BM25'; '' if an embedder makes the dense vectors
   */
  readonly sparseModel?: string
}

/** The dense part. */
export interface DensePart extends Embedding {
  /** Hosted model; `''` if the client supplies vectors. */
  readonly model: string
  readonly similarity: Similarity
}

/** The sparse part. */
export interface SparsePart {
  /** Hosted model; `''` if the client supplies vectors. */
  readonly model: string
}

/** The parts of an index; it has at least one. */
export interface IndexParts {
  readonly dense?: DensePart
  readonly sparse?: SparsePart
}

const SIMILARITIES: readonly Similarity[] = ['cosine', 'euclidean', 'dot-product']

/** Validation of an `IndexKind`. */
export const INDEX_KIND_OPTIONS: OptionKinds<IndexKind> = {
  type: required(oneOf('dense', 'sparse', 'hybrid')),
  similarity: oneOf(...SIMILARITIES),
  sparseModel: string,
}

/** Placeholders for what an `IndexKind` does not specify. */
const UNASKED = { dimension: 0, model: 'hosted' }

export function partsOf({ type, similarity = 'cosine', sparseModel }: IndexKind, hasEmbedder: boolean): IndexParts {
  return {
    ...(type !== 'sparse' && { dense: { ...UNASKED, ...(hasEmbedder && { model: '' }), similarity } }),
    ...(type !== 'dense' && { sparse: { model: sparseModel ?? (hasEmbedder ? '' : 'BM25') } }),
  }
}

/** The index that the gate's own ingestion fills: hybrid, hosted embeddings, cosine similarity. */
export const GATE_INDEX: IndexParts = partsOf({ type: 'hybrid' }, false)

/** The similarity in an `info` response: cosine if absent, `undefined` if unknown. */
export function similarityNamed(name: unknown): Similarity | undefined {
  if (name === undefined || name === '') return 'cosine'
  if (typeof name !== 'string') return undefined
  return SIMILARITIES.find((known) => known === name.toLowerCase().replace('_', '-'))
}

/**
 * Requires cosine similarity, which scores of the gate's own index are read as.
 *
 * @throws `retriever_misconfigured` for another similarity
 */
export function requireCosine({ similarity }: DensePart): void {
  if (similarity === 'cosine') return
  throw misconfigured(`it measures by ${similarity}, not by cosine`)
}

/** Whether a hosted sparse model gives BM25 scores when queried with IDF weighting. */
export function isBm25({ model }: SparsePart): boolean {
  return /^bm25/i.test(model)
}
