/**
 * A sparse model of its own: BM25 over terms and over pairs of neighbouring terms, so that a passage that says
 * `operating system` goes before one that has both words apart.
 *
 * Its constants were chosen on three question sets (docs/internal/retrieval.md). Stored vectors depend on them: other ones are
 * another model.
 */
import { terms } from 'hono-rag-gate/language/english'
import { hash32 } from './hash.ts'
import type { SparseVector } from '../search/sparse.ts'
import { dimensionOf } from './bm25.ts'

const PAIR_SEED = 4
/**
 * Dimensions that pairs share, so that their lists stay few: nearly every pair of a passage is new to a collection. Of
 * terms, whose dimensions are any 32-bit numbers, one in 65,536 falls among them.
 */
const PAIR_DIMENSIONS = 1 << 16
/** What a pair counts in a question; a term counts 1. */
const PAIR_WEIGHT = 0.3
const K1 = 1.2
const B = 0.75
/** Assumed mean length in terms, near that of passages of a hundred words. */
const MEAN_LENGTH = 64

/** Vector of a passage: f·(k1+1) / (f + k1·(1 − b + b·length/64)) for each term and each pair that stands there f times. */
export function pairedPassageVector(text: string): SparseVector {
  const found = terms(text)
  const damping = K1 * (1 - B + (B * found.length) / MEAN_LENGTH)
  const saturated = (frequency: number): number => (frequency * (K1 + 1)) / (frequency + damping)
  return vectorOf(found, saturated, saturated)
}

/** Vector of a question: 1 for each distinct term, .3 for each distinct pair. */
export function pairedQuestionVector(text: string): SparseVector {
  return vectorOf(
    terms(text),
    () => 1,
    () => PAIR_WEIGHT,
  )
}

function vectorOf(
  found: readonly string[],
  ofTerm: (frequency: number) => number,
  ofPair: (frequency: number) => number,
): SparseVector {
  const values = new Map<number, number>()
  for (const [dimension, frequency] of counted(found.map(dimensionOf))) values.set(dimension, ofTerm(frequency))
  const pairs = found.slice(1).map((term, at) => pairDimension(found[at]!, term))
  for (const [dimension, frequency] of counted(pairs)) {
    values.set(dimension, (values.get(dimension) ?? 0) + ofPair(frequency))
  }
  return { indices: Int32Array.from(values.keys()), values: Float32Array.from(values.values()) }
}

function pairDimension(first: string, second: string): number {
  return hash32(`${first} ${second}`, PAIR_SEED) & (PAIR_DIMENSIONS - 1)
}

function counted(dimensions: readonly number[]): Map<number, number> {
  const frequencies = new Map<number, number>()
  for (const dimension of dimensions) frequencies.set(dimension, (frequencies.get(dimension) ?? 0) + 1)
  return frequencies
}
