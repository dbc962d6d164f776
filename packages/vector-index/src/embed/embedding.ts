/**
 * Vectors of texts, as an index makes them. Every model that can be named is made by the same hashing, at the model's
 * dimension. Under the index's own name questions are weighted by idf, for quality; under a name of the service equal texts have equal vectors, as a model there gives them.
 */
import { embed, termFrequencies, type FeatureMemory } from './embedder.ts'
import { EMBEDDING_MODEL, TERM_PAIRS_MODEL } from '../models.ts'
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import { embedsTexts, type DensePart, type SparsePart, type IndexSettings } from '../settings.ts'
import type { SparseVector } from '../search/sparse.ts'
import { dimensionOf, passageVector, questionVector } from './bm25.ts'
import { NO_DENSE, NO_SPARSE, type Vectors } from '../search/vectors.ts'
import { pairedPassageVector, pairedQuestionVector } from './term-pairs.ts'

/** Vectors to search with; a part that the index does not have is absent. */
export interface QuestionVectors {
  readonly dense?: Float32Array<ArrayBuffer>
  readonly sparse?: SparseVector
}

/**
 * Vectors of a passage.
 *
 * @throws `ProtocolError` when the index embeds no texts, or the text has too many distinct terms
 */
export function passageVectors(settings: IndexSettings, text: string, memory: FeatureMemory): Vectors {
  requireModel(settings)
  const frequencies = termFrequencies(text)
  if (frequencies.size > LIMITS.distinctTerms) {
    throw invalid(`data has more than ${LIMITS.distinctTerms} distinct terms`)
  }
  return {
    dense: settings.dense === undefined ? NO_DENSE : embedded(settings.dense, text, frequencies, memory),
    sparse: settings.sparse === undefined ? NO_SPARSE : sparsePassage(settings.sparse, text, frequencies),
  }
}

/**
 * Vectors of a question to a namespace.
 *
 * @param idf of a sparse dimension in that namespace
 */
export function questionVectors(
  { dense, sparse }: IndexSettings,
  idf: (dimension: number) => number,
  text: string,
  memory: FeatureMemory,
): QuestionVectors {
  const frequencies = termFrequencies(text)
  const weighted = dense?.model === EMBEDDING_MODEL && sparse !== undefined
  const weightOf = weighted ? (term: string): number => idf(dimensionOf(term)) : undefined
  return {
    ...(dense !== undefined && {
      dense: embed(denseTerms(dense, text, frequencies), weightOf, dense.dimension, memory),
    }),
    ...(sparse !== undefined && {
      sparse: sparse.model === TERM_PAIRS_MODEL ? pairedQuestionVector(text) : questionVector(frequencies),
    }),
  }
}

/** @throws `ProtocolError` when the index embeds no texts */
export function requireModel(settings: IndexSettings): void {
  if (embedsTexts(settings)) return
  throw invalid(
    'Embedding data for this index is not allowed. The index must be created with an embedding model to use it.',
  )
}

function sparsePassage({ model }: SparsePart, text: string, frequencies: ReadonlyMap<string, number>): SparseVector {
  return model === TERM_PAIRS_MODEL ? pairedPassageVector(text) : passageVector(frequencies)
}

function embedded(
  part: DensePart,
  text: string,
  frequencies: ReadonlyMap<string, number>,
  memory: FeatureMemory,
): Float32Array<ArrayBuffer> {
  return embed(denseTerms(part, text, frequencies), undefined, part.dimension, memory)
}

/** A model of the service gives any text a vector; here one without terms, such as `😀`, counts as a term itself. */
function denseTerms(
  { model }: DensePart,
  text: string,
  frequencies: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  return frequencies.size > 0 || model === EMBEDDING_MODEL ? frequencies : new Map([[text, 1]])
}
