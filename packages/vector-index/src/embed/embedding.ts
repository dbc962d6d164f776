/**
 * Vectors of texts, as an index makes them. Every model that can be named is made by the same hashing, at the model's
 * dimension. Under the index's own name questions are weighted by idf, for quality; under a name of the service equal texts have equal vectors, as a model there gives them.
 */
import { embed, termFrequencies } from './embedder.ts'
import { EMBEDDING_MODEL } from '../models.ts'
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import { embedsTexts, type DensePart, type IndexSettings } from '../settings.ts'
import { dimensionOf, passageVector, questionVector } from './bm25.ts'
import { NO_DENSE, NO_SPARSE, type SparseVector, type Vectors } from '../search/vectors.ts'

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
export function passageVectors(settings: IndexSettings, text: string): Vectors {
  requireModel(settings)
  const frequencies = termFrequencies(text)
  if (frequencies.size > LIMITS.distinctTerms) {
    throw invalid(`data has more than ${LIMITS.distinctTerms} distinct terms`)
  }
  return {
    dense: settings.dense === undefined ? NO_DENSE : embedded(settings.dense, text, frequencies),
    sparse: settings.sparse === undefined ? NO_SPARSE : passageVector(frequencies),
  }
}

/**
 * Vectors of a question to a namespace.
 *
 * @param idfs of sparse dimensions in that namespace
 */
export function questionVectors(
  { dense, sparse }: IndexSettings,
  idfs: (dimensions: readonly number[]) => ReadonlyMap<number, number>,
  text: string,
): QuestionVectors {
  const frequencies = termFrequencies(text)
  const weighted = dense?.model === EMBEDDING_MODEL && sparse !== undefined
  const weights = weighted ? idfs(Array.from(frequencies.keys(), dimensionOf)) : undefined
  const weightOf = weights && ((term: string): number => weights.get(dimensionOf(term)) ?? 0)
  return {
    ...(dense !== undefined && { dense: embedded(dense, text, frequencies, weightOf) }),
    ...(sparse !== undefined && { sparse: questionVector(frequencies) }),
  }
}

/** @throws `ProtocolError` when the index embeds no texts */
export function requireModel(settings: IndexSettings): void {
  if (embedsTexts(settings)) return
  throw invalid(
    'Embedding data for this index is not allowed. The index must be created with an embedding model to use it.',
  )
}

/** A model of the service gives any text a vector; here one without terms, such as `😀`, counts as a term itself. */
function embedded(
  { model, dimension }: DensePart,
  text: string,
  frequencies: ReadonlyMap<string, number>,
  weightOf?: (term: string) => number,
): Float32Array<ArrayBuffer> {
  const isTerm = frequencies.size === 0 && model !== EMBEDDING_MODEL
  return embed(isTerm ? new Map([[text, 1]]) : frequencies, weightOf, dimension)
}
