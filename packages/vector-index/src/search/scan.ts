/** Exact search over dense rows: every row is scored, and a bounded heap keeps the best. */
import {
  nearness,
  prepareQuestion,
  scoreInFloat32,
  scoreOf,
  squaredLength,
  type Question,
  type Similarity,
} from './dense/similarity.ts'

/** A row and its score. */
export interface ScoredRow {
  /** Place of the row in its namespace; rises in insertion order. */
  readonly slot: number
  readonly score: number
}

/** A stored vector: a byte for each dimension, or float32 as it was given. */
export type DenseRow =
  | {
      readonly encoding: 'int8'
      readonly values: Int8Array<ArrayBuffer>
      readonly scale: number
      readonly squares: number
    }
  | { readonly encoding: 'float32'; readonly values: Float32Array<ArrayBuffer>; readonly squares: number }

/**
 * A row of bytes.
 *
 * @param scale what a step of one is worth
 */
export function int8Row(values: Int8Array<ArrayBuffer>, scale: number): DenseRow {
  let squares = 0
  for (const value of values) squares += value * value
  return { encoding: 'int8', values, scale, squares }
}

/** A row of float32 numbers, kept as given. */
export function float32Row(values: Float32Array<ArrayBuffer>): DenseRow {
  return { encoding: 'float32', values, squares: squaredLength(values) }
}

/** Rounds a vector to bytes, its largest component to ±127. A vector of zeros stays one. */
export function quantise(vector: Float32Array): DenseRow {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const scale = Math.fround(largest / 127)
  const values = new Int8Array(vector.length)
  if (scale > 0) for (let at = 0; at < vector.length; at++) values[at] = Math.round(vector[at]! / scale)
  return int8Row(values, scale)
}

/** The vector that a row stands for. */
export function vectorOf(row: DenseRow): Float32Array {
  if (row.encoding === 'float32') return row.values
  return Float32Array.from(row.values, (value) => value * row.scale)
}

/** Tells whether the row in a slot may be found at all; asked before it is scored. */
export type SlotFilter = (slot: number) => boolean

/** How a dense search scores, and which rows it passes over. */
export interface DenseSearch {
  /** @default 'COSINE' */
  readonly similarity?: Similarity
  /** @default every row */
  readonly matches?: SlotFilter | undefined
}

/**
 * The rows nearest to a vector, as the service scores them, in float32 from 0 to 1: (1 + cosine) / 2,
 * 1 / (1 + squared distance) or (1 + inner product) / 2. A row of zeros has cosine 0.
 *
 * @param rows by slot; `undefined` where a row was deleted
 * @returns at most `topK` rows, best first, ties in insertion order; by cosine none for a vector of zeros
 */
export function nearest(
  rows: readonly (DenseRow | undefined)[],
  vector: Float32Array,
  topK: number,
  { similarity = 'COSINE', matches }: DenseSearch = {},
): readonly ScoredRow[] {
  const question = prepareQuestion(vector, similarity)
  if (question.squares === 0 && similarity === 'COSINE') return []
  const best = new BoundedTop(topK)
  for (let slot = 0; slot < rows.length; slot++) {
    const row = rows[slot]
    if (row !== undefined && matches?.(slot) !== false) best.offer(slot, nearnessOfRow(question, row))
  }
  return withScores(question, best.sorted(), (slot) => rows[slot]!)
}

/**
 * Gives rows that are in order of nearness the scores of the service, in float32. What float32 orders differently is as
 * good as equal, so a later row has no higher score than one before it.
 */
export function withScores(
  question: Question,
  ranked: readonly ScoredRow[],
  rowAt: (slot: number) => DenseRow,
): readonly ScoredRow[] {
  let least = 1
  return ranked.map(({ slot, score: near }) => {
    const row = rowAt(slot)
    least = Math.min(least, row.encoding === 'int8' ? scoreOf(question, near) : scoreInFloat32(question, row.values))
    return { slot, score: least }
  })
}

function nearnessOfRow(question: Question, row: DenseRow): number {
  const places = question.visited
  return row.encoding === 'int8'
    ? nearness(question, { values: row.values, base: 0, places }, row.scale, row.squares)
    : nearness(question, { values: row.values, base: 0, places }, 1, row.squares)
}

/** What takes rows with their scores. */
export interface Offered {
  offer(slot: number, score: number): void
}

/**
 * Keeps the best rows of those offered, in a heap with the worst kept row on top: no full sort, for any number of
 * rows. Of equal scores the row with the lower slot is better. A score that is not a number is never kept.
 */
export class BoundedTop implements Offered {
  readonly #capacity: number
  readonly #heap: ScoredRow[] = []

  /** @param capacity rows to keep; 0 keeps none */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  offer(slot: number, score: number): void {
    const heap = this.#heap
    if (Number.isNaN(score)) return
    if (heap.length < this.#capacity) {
      heap.push({ slot, score })
      this.#rise(heap.length - 1)
    } else if (heap.length > 0 && isWorse(heap[0]!, { slot, score })) {
      heap[0] = { slot, score }
      this.#sink()
    }
  }

  /** What was kept, best first. */
  sorted(): ScoredRow[] {
    return [...this.#heap].sort((a, b) => b.score - a.score || a.slot - b.slot)
  }

  #rise(from: number): void {
    const heap = this.#heap
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isWorse(heap[at]!, heap[parent]!)) return
      ;[heap[at], heap[parent]] = [heap[parent]!, heap[at]!]
      at = parent
    }
  }

  #sink(): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let worst = at
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < heap.length; child++) {
        if (isWorse(heap[child]!, heap[worst]!)) worst = child
      }
      if (worst === at) return
      ;[heap[at], heap[worst]] = [heap[worst]!, heap[at]!]
      at = worst
    }
  }
}

function isWorse(a: ScoredRow, b: ScoredRow): boolean {
  return a.score < b.score || (a.score === b.score && a.slot > b.slot)
}
