/**
 * Vectors of texts. Every model name is served by the same hashing, in the model's dimension. Under the index's own
 * model name questions are weighted by idf; under a name of the service equal texts have equal vectors, as there.
 */
import { embed, termFrequencies } from './embedder.ts'
import { EMBEDDING_MODEL } from '../models.ts'
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import { embedsTexts, type DensePart, type IndexSettings } from '../settings.ts'
import { dimensionOf, passageVector, questionVector } from './bm25.ts'
import { NO_DENSE, NO_SPARSE, type SparseVector, type Vectors } from '../search/vectors.ts'

/** Vectors to search with; absent for a part that the index does not have. */
export interface QuestionVectors {
  readonly dense?: Float32Array<ArrayBuffer>
  readonly sparse?: SparseVector
}

/**
 * Vectors of a passage.
 *
 * @throws `ProtocolError` if the index does not embed texts, or the text has too many distinct terms
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
 * Vectors of a question in a namespace.
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

/** @throws `ProtocolError` if the index does not embed texts */
export function requireModel(settings: IndexSettings): void {
  if (embedsTexts(settings)) return
  throw invalid(
    'Embedding data for this index is not allowed. The index must be created with an embedding model to use it.',
  )
}

/** The service's models embed any text, so a text without terms, such as `😀`, is treated as one term. */
function embedded(
  { model, dimension }: DensePart,
  text: string,
  frequencies: ReadonlyMap<string, number>,
  weightOf?: (term: string) => number,
): Float32Array<ArrayBuffer> {
  const isTerm = frequencies.size === 0 && model !== EMBEDDING_MODEL
  return embed(isTerm ? new Map([[text, 1]]) : frequencies, weightOf, dimension)
}
