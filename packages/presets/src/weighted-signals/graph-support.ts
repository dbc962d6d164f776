import type { Evidence } from 'hono-rag-gate/core/evidence'

/**
 * Whether a knowledge graph raised the score of any chunk.
 *
 * @see the specification of weighted-signals, "Graph Support"
 */
export function graphSupport({ chunks }: Evidence): boolean {
  return chunks.some(({ scores }) => (scores['graph-boost'] ?? 0) > 0)
}

/** Whether a knowledge graph was queried, with or without a result. */
export function graphConsulted({ kinds, chunks }: Evidence): boolean {
  return kinds.includes('graph-boost') || chunks.some(({ scores }) => scores['graph-boost'] !== undefined)
}
