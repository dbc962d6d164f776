/** Which methods of retrieval take part. */
import { RagGateError } from '../../errors.ts'
import type { Ranking } from './chunk.ts'

/** `dense`: by embeddings alone. `sparse`: by words alone. `hybrid`: whatever the retriever ranks, fused. */
export type SearchMode = 'dense' | 'sparse' | 'hybrid'

/** Every mode, for checking. */
export const SEARCH_MODES: readonly SearchMode[] = ['dense', 'sparse', 'hybrid']

const KIND = { dense: 'cosine', sparse: 'bm25' } as const

/**
 * The rankings that take part in a mode.
 *
 * @throws `search_mode` when the retriever has no ranking of that method: to search otherwise than asked would be no
 *   answer to the question why
 */
export function rankingsOfMode(rankings: readonly Ranking[], mode: SearchMode): readonly Ranking[] {
  if (mode === 'hybrid') return rankings
  const chosen = rankings.filter(({ kind }) => kind === KIND[mode])
  if (chosen.length > 0) return chosen
  throw new RagGateError('search_mode', `This collection is not searched by the ${mode} method alone`, {
    param: 'search_mode',
  })
}
