import { BM25_B, BM25_K1 } from 'hono-rag-gate/core/text'

/** Statistics of a namespace for BM25. */
export interface Totals {
  readonly passages: number
  /** Total number of terms in all passages. */
  readonly words: number
  /** Number of passages with each term of the question; absent for none. */
  readonly holding: ReadonlyMap<string, number>
}

/**
 * Okapi BM25 of a passage for the distinct terms of a question, within its namespace: the sum of idf · f·(k1 + 1) / (f
 * + k1·(1 − b + b·length/mean)), with the idf of `idfMass`.
 *
 * @param said terms of the passage, by sentence
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.4
 */
export function okapi(said: readonly (readonly string[])[], { passages, words, holding }: Totals): number {
  const frequencies = new Map<string, number>()
  let length = 0
  for (const terms of said) {
    length += terms.length
    for (const term of terms) if (holding.has(term)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const mean = words > 0 ? words / passages : 1
  const damping = BM25_K1 * (1 - BM25_B + (BM25_B * length) / mean)
  let sum = 0
  for (const [term, frequency] of frequencies) {
    sum += (idf(passages, holding.get(term) ?? 0) * frequency * (BM25_K1 + 1)) / (frequency + damping)
  }
  return sum
}

function idf(passages: number, holding: number): number {
  return Math.log(1 + (passages - Math.min(holding, passages) + 0.5) / (holding + 0.5))
}
