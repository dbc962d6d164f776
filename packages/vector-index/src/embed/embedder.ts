/**
 * The index's own embedder: words and their character trigrams, hashed into 1,024 dimensions, or another number. It
 * needs no model, and vectors never become stale: passages are embedded without idf, and a question's vector has the
 * current idf.
 */
import { terms } from 'hono-rag-gate/language/english'
import { hash32 } from './hash.ts'

/** Default dimension of an embedding. */
export const DIMENSION = 1024

const WORD_SEED = 1
const TRIGRAM_SEED = 2

/** Hashes of a term, first the word's, then its trigrams': each gives a dimension and a sign. */
type TermFeatures = Uint32Array

const FEATURES_KEPT = 20_000

/** Cache of features by term, because a few thousand terms make up most text. */
const known = new Map<string, TermFeatures>()

function featuresOf(term: string): TermFeatures {
  const remembered = known.get(term)
  if (remembered !== undefined) return remembered
  const marked = `^${term}$`
  const features = new Uint32Array(Math.max(0, marked.length - 2) + 1)
  features[0] = hash32(term, WORD_SEED)
  for (let at = 0; at + 3 <= marked.length; at++) {
    features[at + 1] = hash32(marked.slice(at, at + 3), TRIGRAM_SEED)
  }
  if (known.size >= FEATURES_KEPT) known.clear()
  known.set(term, features)
  return features
}

/** Frequencies of the terms in a text, in order of first appearance. */
export function termFrequencies(text: string): Map<string, number> {
  const frequencies = new Map<string, number>()
  for (const term of terms(text)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  return frequencies
}

/**
 * The embedding of a text from its term frequencies.
 *
 * The word of a term contributes the square root of its frequency, times its weight; its trigrams together contribute
 * the same, each divided by the root of their number, so that the squares add up.
 *
 * @param weightOf weight of a term: 1 for a passage, the idf in the namespace for a question
 * @param dimension of the embedding, 1 and up
 * @returns a unit vector; all zeros without terms
 */
export function embed(
  frequencies: ReadonlyMap<string, number>,
  weightOf: (term: string) => number = () => 1,
  dimension: number = DIMENSION,
): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(dimension)
  for (const [term, frequency] of frequencies) {
    const features = featuresOf(term)
    const weight = Math.sqrt(frequency) * weightOf(term)
    const share = weight / Math.sqrt(features.length - 1)
    for (let at = 0; at < features.length; at++) {
      const feature = features[at]! % (2 * dimension)
      const amount = at === 0 ? weight : share
      if (feature < dimension) sums[feature]! += amount
      else sums[feature - dimension]! -= amount
    }
  }
  let squares = 0
  for (const sum of sums) squares += sum * sum
  const length = Math.sqrt(squares)
  const vector = new Float32Array(dimension)
  if (length > 0) for (let at = 0; at < dimension; at++) vector[at] = sums[at]! / length
  return vector
}
