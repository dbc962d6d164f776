/** Settings of an index: its parts and their models. */
import { oneOf, type OptionKind, type OptionKinds, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { RagGateError } from 'hono-rag-gate/errors'
import { DENSE_MODELS, EMBEDDING_MODEL, SPARSE_MODELS } from './models.ts'
import type { Similarity } from './search/similarity.ts'

/** The dense part of an index. */
export interface DensePart {
  /** Length of all vectors, 1 to 5,376. */
  readonly dimension: number
  readonly similarity: Similarity
  /** Name of the model that embeds texts; `''` if clients supply vectors. */
  readonly model: string
}

/** The sparse part of an index. */
export interface SparsePart {
  /** Name of the model that makes sparse vectors; `''` if clients supply them. */
  readonly model: string
}

/** Settings of an index. At least one part is present; either both embed texts or neither does. */
export interface IndexSettings {
  /** Name of the index in error messages. */
  readonly name: string
  readonly dense?: DensePart
  readonly sparse?: SparsePart
}

/** Kinds of index, as named by `info`. */
export type IndexKind = 'DENSE' | 'SPARSE' | 'HYBRID'

/** Configured settings: the members of the service's `info`. */
interface GivenSettings {
  readonly indexType?: IndexKind
  readonly dimension?: number
  readonly similarityFunction?: Similarity
  readonly embeddingModel?: string | null
  readonly sparseEmbeddingModel?: string | null
}

/** 5376 is the highest dimension that the service mentions. */
const SETTINGS: OptionKinds<GivenSettings> = {
  indexType: oneOf('DENSE', 'SPARSE', 'HYBRID'),
  dimension: whole(1, 5376),
  similarityFunction: oneOf('COSINE', 'EUCLIDEAN', 'DOT_PRODUCT'),
  embeddingModel: modelOf(...DENSE_MODELS.keys()),
  sparseEmbeddingModel: modelOf(...SPARSE_MODELS),
}

/** The kind of an index. */
export function kindOf({ dense, sparse }: IndexSettings): IndexKind {
  if (dense !== undefined && sparse !== undefined) return 'HYBRID'
  return dense === undefined ? 'SPARSE' : 'DENSE'
}

/** Whether the index embeds texts. */
export function embedsTexts({ dense, sparse }: IndexSettings): boolean {
  return (dense ?? sparse)?.model !== ''
}

/**
 * Parses the settings of one index, named as in the service's `info`: `{indexType, dimension, similarityFunction,
 * embeddingModel, sparseEmbeddingModel}`.
 *
 * Without any of them it is a hybrid index that embeds texts itself. A model determines the dimension; without a model
 * the dimension is required. `null` or `''` for a model means none.
 *
 * @throws `config_invalid` for an unknown member, and for values that are invalid or contradict each other
 */
export function indexSettings(name: string, given: unknown = {}): IndexSettings {
  const variable = `VECTOR_INDEXES.${name}`
  const settings = given as GivenSettings
  requireOptions(settings, SETTINGS, 'config_invalid', variable)
  const { indexType = 'HYBRID', sparseEmbeddingModel: sparseModel } = settings
  const unused =
    indexType === 'SPARSE'
      ? (['dimension', 'similarityFunction', 'embeddingModel'] as const)
      : indexType === 'DENSE'
        ? (['sparseEmbeddingModel'] as const)
        : []
  const needless = unused.find((member) => settings[member] !== undefined)
  if (needless !== undefined) throw invalid(variable, `is ${indexType} and has no ${needless}`)
  const dense = indexType === 'SPARSE' ? undefined : densePart(variable, settings)
  const model = (sparseModel === undefined && dense?.model !== '' ? 'BM25' : sparseModel) ?? ''
  const sparse = indexType === 'DENSE' ? undefined : { model }
  if (dense !== undefined && sparse !== undefined && (dense.model === '') !== (sparse.model === '')) {
    throw invalid(variable, 'needs a model for both parts or for none')
  }
  return { name, ...(dense !== undefined && { dense }), ...(sparse !== undefined && { sparse }) }
}

/** A dimension without a model means that clients supply vectors; without either, texts are embedded. */
function densePart(variable: string, settings: GivenSettings): DensePart {
  const { dimension: given, embeddingModel, similarityFunction: similarity = 'COSINE' } = settings
  const model = (embeddingModel === undefined && given === undefined ? EMBEDDING_MODEL : embeddingModel) ?? ''
  const own = DENSE_MODELS.get(model)
  const dimension = given ?? own
  if (dimension === undefined) throw invalid(variable, 'needs a dimension, or a model')
  if (own !== undefined && dimension !== own) throw invalid(variable, `needs dimension ${own} for ${model}`)
  return { dimension, similarity, model }
}

function modelOf(...names: readonly string[]): OptionKind {
  const holds = (value: unknown): boolean => value === null || value === '' || names.some((name) => name === value)
  return { words: `one of ${names.join(', ')}, or null`, holds }
}

function invalid(variable: string, problem: string): RagGateError {
  return new RagGateError('config_invalid', `${variable} ${problem}`, { param: variable })
}
