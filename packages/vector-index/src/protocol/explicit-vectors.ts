/** Validates vectors given in a body against the kind of the index. */
import * as field from './fields.ts'
import { invalid, type ProtocolError } from '../protocol-error.ts'
import type { IndexSettings } from '../settings.ts'
import { NO_DENSE, NO_SPARSE, type SparseVector, type Vectors } from '../search/vectors.ts'

/** Vectors of a body; absent if not given. */
export interface ExplicitVectors {
  readonly dense?: Float32Array<ArrayBuffer>
  readonly sparse?: SparseVector
}

/**
 * Parses the given vectors.
 *
 * @throws `ProtocolError` for one that is malformed, of another dimension, or of a part that the index does not have
 */
export function explicitVectors(settings: IndexSettings, { vector, sparseVector }: field.Fields): ExplicitVectors {
  const hasDense = field.isVectorGiven(vector)
  const hasSparse = field.isGiven(sparseVector)
  if (hasDense && settings.dense === undefined) throw requiresSparse()
  if (hasSparse && settings.sparse === undefined) throw requiresDense()
  return {
    ...(hasDense && settings.dense !== undefined && { dense: field.denseVector(vector, settings.dense.dimension) }),
    ...(hasSparse && { sparse: field.sparseVector(sparseVector) }),
  }
}

/**
 * Parses the vectors of an item to store: one for each part of the index.
 *
 * @throws `ProtocolError` if one is missing
 */
export function storedVectors(settings: IndexSettings, fields: field.Fields): Vectors {
  const { dense, sparse } = explicitVectors(settings, fields)
  if (settings.dense !== undefined && dense === undefined) throw requiresDense()
  if (settings.sparse !== undefined && sparse === undefined) throw requiresSparse()
  return { dense: dense ?? NO_DENSE, sparse: sparse ?? NO_SPARSE }
}

/** The service's error for a missing dense vector. */
export function requiresDense(): ProtocolError {
  return invalid('This index requires dense vectors')
}

/** The service's error for a missing sparse vector. */
export function requiresSparse(): ProtocolError {
  return invalid('This index requires sparse vectors')
}
