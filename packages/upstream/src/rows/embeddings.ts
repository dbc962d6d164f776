/** Vectors that an embedder returned, read one by one: nothing in them is trusted. */
import { RagGateError } from 'hono-rag-gate/errors'

/**
 * The vectors, in the order given.
 *
 * @param count how many there must be
 * @param dimension length that each must have
 * @throws `retriever_bad_response` when one is missing or holds what is no finite number; `embedding_mismatch` when one
 *   has another length
 */
export function readEmbeddings(value: unknown, count: number, dimension: number): readonly (readonly number[])[] {
  if (!Array.isArray(value) || value.length !== count) throw unreadable('not one vector for each text')
  return value.map((vector: unknown) => {
    if (!Array.isArray(vector)) throw unreadable('a vector that is not a list')
    if (vector.length !== dimension) {
      throw new RagGateError('embedding_mismatch', `The embedder made ${vector.length} dimensions, not ${dimension}`)
    }
    // A list with holes has no parts there for `every` to see.
    if (![...vector].every(Number.isFinite)) throw unreadable('a vector of what are not numbers')
    // Every one of them was just seen to be a number.
    return vector as readonly number[]
  })
}

function unreadable(detail: string): RagGateError {
  return new RagGateError('retriever_bad_response', `The embedder sent an unexpected response: ${detail}`)
}

/**
 * The vector of a question, out of what an embedder returned for it alone.
 *
 * @throws `retriever_bad_response` when it holds what is no finite number; `embedding_mismatch` when it has another length
 */
export function questionVector(
  vectors: readonly (readonly number[])[],
  { dimension }: { readonly dimension: number },
): readonly number[] {
  // An embedder without types may return anything, also what only says how long it is.
  const given = Object(Object(vectors)[0])
  requireDimension(dimension, given.length || dimension)
  const vector: number[] = Array.from(given)
  if (vector.length === 0 || !vector.every(Number.isFinite)) {
    throw new RagGateError('retriever_bad_response', 'The embedder made no vector of numbers')
  }
  return vector
}

/** @throws `embedding_mismatch` where they differ */
export function requireDimension(ofVectors: number, made: number): void {
  if (ofVectors === made) return
  throw new RagGateError(
    'embedding_mismatch',
    `The vectors have ${ofVectors} dimensions and the embedder makes ${made}`,
  )
}
