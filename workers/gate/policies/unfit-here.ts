import type { GateBindings } from '../bindings.ts'

const WORDS_ONLY = 'the embedded index knows words alone (set RERANKER, Vectorize or Upstash Vector)'

/** Why a policy would refuse, or call unusable, whatever it is asked here; `undefined` where it works. */
export function unfitHere(
  name: string,
  env: Pick<GateBindings, 'RERANKER' | 'VECTORIZE' | 'UPSTASH_VECTOR_REST_URL'>,
): string | undefined {
  const hasReranker = env.RERANKER !== undefined && env.RERANKER !== 'off'
  const embedsMeaning = env.VECTORIZE !== undefined || env.UPSTASH_VECTOR_REST_URL !== undefined
  switch (name) {
    case 'multi-gate':
      return embedsMeaning ? undefined : `it judges cosines of meaning, and ${WORDS_ONLY}`
    case 'advisory':
      return hasReranker || embedsMeaning ? undefined : `it needs a reranker or cosines of meaning, and ${WORDS_ONLY}`
    case 'sufficiency':
      return 'it needs what attributes an answer to passages, and no generator of this Worker reports that'
    default:
      return undefined
  }
}
