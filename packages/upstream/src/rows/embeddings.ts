/** Validates vectors returned by an embedder. */
import { RagGateError } from 'hono-rag-gate/errors'

/**
 * Validates and returns the vectors, in the order given.
 *
 * @param count expected number of vectors
 * @param dimension expected length of each
 * @throws `retriever_bad_response` if one is missing or has a non-finite element; `embedding_mismatch` if one has
 *   another length
 */
export function readEmbeddings(value: unknown, count: number, dimension: number): readonly (readonly number[])[] {
  if (!Array.isArray(value) || value.length !== count) throw unreadable('not one vector for each text')
  return value.map((vector: unknown) => {
    if (!Array.isArray(vector)) throw unreadable('a vector that is not a list')
    if (vector.length !== dimension) {
      throw new RagGateError('embedding_mismatch', `The embedder made ${vector.length} dimensions, not ${dimension}`)
    }
    // Spread fills the holes of a sparse array, which `every` would skip.
    if (![...vector].every(Number.isFinite)) throw unreadable('a vector of what are not numbers')
    // Every element was checked to be a number.
    return vector as readonly number[]
  })
}

function unreadable(detail: string): RagGateError {
  return new RagGateError('retriever_bad_response', `The embedder sent an unexpected response: ${detail}`)
}

/**
 * The vector of a question, from an embedder's result for it alone.
 *
 * @throws `retriever_bad_response` if it has a non-finite element; `embedding_mismatch` if it has another length
 */
export function questionVector(
  vectors: readonly (readonly number[])[],
  embedder: { readonly dimension: number },
): readonly number[] {
  // An untyped embedder may return anything, including an object with only a length.
  return embeddedVector(Object(vectors)[0], embedder)
}

/** The same, for one of the vectors. */
export function embeddedVector(returned: unknown, { dimension }: { readonly dimension: number }): readonly number[] {
  const given = Object(returned)
  requireDimension(dimension, given.length || dimension)
  const vector: number[] = Array.from(given)
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new RagGateError('retriever_bad_response', 'The embedder returned no vector of numbers')
  }
  return vector
}

/** @throws `embedding_mismatch` if they differ */
export function requireDimension(ofVectors: number, made: number): void {
  if (ofVectors === made) return
  throw new RagGateError(
    'embedding_mismatch',
    `The vectors have ${ofVectors} dimensions and the embedder makes ${made}`,
  )
}
