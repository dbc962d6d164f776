/** What an index is: its parts, which of them embed texts, and how its dense part measures. */
import { misconfigured } from './misconfigured.ts'
import { oneOf, type OptionKinds, required, string } from 'hono-rag-gate/core/lib'
import type { Embedding } from 'hono-rag-gate/ports'

/** How a dense part measures. */
export type Similarity = 'cosine' | 'euclidean' | 'dot-product'

/** What an index is, said instead of asked. */
export interface IndexKind {
  readonly type: 'dense' | 'sparse' | 'hybrid'
  /** @default 'cosine' */
  readonly similarity?: Similarity
  /**
   * Hosted model of the sparse part; `''` when its vectors are brought.
   *
   * @default 'BM25'; '' where an embedder makes the dense vectors
   */
  readonly sparseModel?: string
}

/** The dense part. */
export interface DensePart extends Embedding {
  /** Hosted model; `''` when vectors are brought. */
  readonly model: string
  readonly similarity: Similarity
}

/** The sparse part. */
export interface SparsePart {
  /** Hosted model; `''` when vectors are brought. */
  readonly model: string
}

/** The parts of an index; at least one is there. */
export interface IndexParts {
  readonly dense?: DensePart
  readonly sparse?: SparsePart
}

const SIMILARITIES: readonly Similarity[] = ['cosine', 'euclidean', 'dot-product']

/** What each part of an `IndexKind` must be. */
export const INDEX_KIND_OPTIONS: OptionKinds<IndexKind> = {
  type: required(oneOf('dense', 'sparse', 'hybrid')),
  similarity: oneOf(...SIMILARITIES),
  sparseModel: string,
}

/** What is not known of an index that was said and not asked. */
const UNASKED = { dimension: 0, model: 'hosted' }

export function partsOf({ type, similarity = 'cosine', sparseModel }: IndexKind, hasEmbedder: boolean): IndexParts {
  return {
    ...(type !== 'sparse' && { dense: { ...UNASKED, ...(hasEmbedder && { model: '' }), similarity } }),
    ...(type !== 'dense' && { sparse: { model: sparseModel ?? (hasEmbedder ? '' : 'BM25') } }),
  }
}

/** What the gate's own ingestion fills: hybrid, with hosted embeddings, by cosine. */
export const GATE_INDEX: IndexParts = partsOf({ type: 'hybrid' }, false)

/** The similarity that `info` names; `undefined` for one that is unknown. Where none is named, it is a cosine. */
export function similarityNamed(name: unknown): Similarity | undefined {
  if (name === undefined || name === '') return 'cosine'
  if (typeof name !== 'string') return undefined
  return SIMILARITIES.find((known) => known === name.toLowerCase().replace('_', '-'))
}

/**
 * Scores of the gate's own index are read as cosines.
 *
 * @throws `retriever_misconfigured` for an index that measures otherwise
 */
export function requireCosine({ similarity }: DensePart): void {
  if (similarity === 'cosine') return
  throw misconfigured(`it measures by ${similarity}, not by cosine`)
}

/** Whether a hosted sparse model gives BM25 scores once the index weighs its terms by IDF. */
export function isBm25({ model }: SparsePart): boolean {
  return /^bm25/i.test(model)
}
