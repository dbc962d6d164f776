/** What an index is: its parts, their models, and the rules it keeps. */
import { RagGateError } from 'hono-rag-gate/errors'
import { DENSE_MODELS, EMBEDDING_MODEL, SPARSE_MODELS } from './models.ts'
import type { Similarity } from './search/similarity.ts'

/** The dense part of an index. */
export interface DensePart {
  /** Length of every vector, 1 to 5,376. */
  readonly dimension: number
  readonly similarity: Similarity
  /** Name of the model that embeds texts; `''` when vectors must be brought. */
  readonly model: string
}

/** The sparse part of an index. */
export interface SparsePart {
  /** Name of the model that makes sparse vectors of texts; `''` when they must be brought. */
  readonly model: string
}

/** An index, as it was configured. At least one part is there; either both embed texts or none does. */
export interface IndexSettings {
  /** Name that error texts call the index by. */
  readonly name: string
  readonly dense?: DensePart
  readonly sparse?: SparsePart
}

/** Names of the kinds of index, as `info` tells them. */
export type IndexKind = 'DENSE' | 'SPARSE' | 'HYBRID'

/** Largest dimension the index itself takes: the highest that the service names anywhere. */
const MAX_DIMENSION = 5376

const SIMILARITIES: readonly Similarity[] = ['COSINE', 'EUCLIDEAN', 'DOT_PRODUCT']
const KINDS: readonly IndexKind[] = ['DENSE', 'SPARSE', 'HYBRID']
const MEMBERS: ReadonlySet<string> = new Set([
  'indexType',
  'dimension',
  'similarityFunction',
  'embeddingModel',
  'sparseEmbeddingModel',
])

/** The kind of an index. */
export function kindOf({ dense, sparse }: IndexSettings): IndexKind {
  if (dense !== undefined && sparse !== undefined) return 'HYBRID'
  return dense === undefined ? 'SPARSE' : 'DENSE'
}

/** Whether the index makes vectors of texts. */
export function embedsTexts({ dense, sparse }: IndexSettings): boolean {
  return (dense ?? sparse)?.model !== ''
}

/**
 * Reads the settings of one index from configuration, in the words of the service's own `info`:
 * `{indexType, dimension, similarityFunction, embeddingModel, sparseEmbeddingModel}`.
 *
 * Without any of them it is a hybrid index that embeds texts by itself. A model gives the dimension; without a model the
 * dimension must be given. `null` or `''` for a model means none.
 *
 * @throws `config_invalid` for an unknown member and for values that make no sense or not together
 */
export function indexSettings(name: string, given: unknown = {}): IndexSettings {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid(name, 'must be an object')
  // An object, so its members can be read; each is checked before it is used.
  const members = given as Readonly<Record<string, unknown>>
  const unknown = Object.keys(members).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) throw invalid(name, `does not know "${unknown}"`)
  const kind = oneOf(name, 'indexType', members['indexType'] ?? 'HYBRID', KINDS)
  const dense = kind === 'SPARSE' ? noDensePart(name, members) : densePart(name, members)
  const sparse = kind === 'DENSE' ? noSparsePart(name, members) : sparsePart(name, members, dense)
  if (dense !== undefined && sparse !== undefined && (dense.model === '') !== (sparse.model === '')) {
    throw invalid(name, 'needs a model for both parts or for none')
  }
  return { name, ...(dense !== undefined && { dense }), ...(sparse !== undefined && { sparse }) }
}

function densePart(name: string, members: Readonly<Record<string, unknown>>): DensePart {
  const model = modelName(name, 'embeddingModel', members['embeddingModel'], defaultModel(members))
  const similarity = oneOf(name, 'similarityFunction', members['similarityFunction'] ?? 'COSINE', SIMILARITIES)
  const own = DENSE_MODELS.get(model)
  if (model !== '' && own === undefined) {
    throw invalid(name, `has an unknown embeddingModel; known are ${[...DENSE_MODELS.keys()].join(', ')}`)
  }
  const dimension = whole(name, 'dimension', members['dimension'] ?? own, 1, MAX_DIMENSION)
  if (own !== undefined && dimension !== own) throw invalid(name, `needs dimension ${own} for ${model}`)
  return { dimension, similarity, model }
}

/** Who gives a dimension and no model brings vectors; who gives neither wants texts embedded. */
function defaultModel(members: Readonly<Record<string, unknown>>): string {
  return members['dimension'] === undefined ? EMBEDDING_MODEL : ''
}

function sparsePart(name: string, members: Readonly<Record<string, unknown>>, dense?: DensePart): SparsePart {
  const otherwise = dense?.model === '' ? '' : 'BM25'
  const model = modelName(name, 'sparseEmbeddingModel', members['sparseEmbeddingModel'], otherwise)
  if (model !== '' && !SPARSE_MODELS.includes(model)) {
    throw invalid(name, `has an unknown sparseEmbeddingModel; known are ${SPARSE_MODELS.join(', ')}`)
  }
  return { model }
}

function noDensePart(name: string, members: Readonly<Record<string, unknown>>): undefined {
  for (const member of ['dimension', 'similarityFunction', 'embeddingModel']) {
    if (members[member] !== undefined) throw invalid(name, `is sparse and has no ${member}`)
  }
  return undefined
}

function noSparsePart(name: string, members: Readonly<Record<string, unknown>>): undefined {
  if (members['sparseEmbeddingModel'] !== undefined) throw invalid(name, 'is dense and has no sparseEmbeddingModel')
  return undefined
}

function modelName(name: string, member: string, value: unknown, otherwise: string): string {
  if (value === undefined) return otherwise
  if (value === null) return ''
  if (typeof value !== 'string') throw invalid(name, `must have a string or null as ${member}`)
  return value
}

function oneOf<W extends string>(name: string, member: string, value: unknown, allowed: readonly W[]): W {
  const found = allowed.find((word) => word === value)
  if (found === undefined) throw invalid(name, `must have one of ${allowed.join(', ')} as ${member}`)
  return found
}

function whole(name: string, member: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(name, `must have a whole number between ${min} and ${max} as ${member}`)
  }
  return value
}

function invalid(name: string, problem: string): RagGateError {
  return new RagGateError('config_invalid', `The index "${name}" ${problem}`, { param: name })
}
