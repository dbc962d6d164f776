import type { Passage } from '../../src/core/evidence/chunk.ts'
import type { Evidence } from '../../src/core/evidence/evidence.ts'

/** Evidence from passages, with scores like those of a hybrid search, best first. */
export function evidenceOf(passages: readonly Passage[]): Evidence {
  return {
    rankedBy: 'convex',
    kinds: ['cosine', 'bm25'],
    dropped: 0,
    chunks: passages.map((passage, at) => ({
      ...passage,
      scores: { cosine: 0.6 - at * 0.03, bm25: 12 - at, convex: 0.5 - at * 0.02 },
    })),
  }
}
