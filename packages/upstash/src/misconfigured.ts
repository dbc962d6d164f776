import { RagGateError } from 'hono-rag-gate/errors'

/** Why an index whose vectors are brought cannot be searched without an embedder. */
export const EMBEDS_NOTHING = 'the index embeds no texts, and the retriever has no embedder'

/** An index that cannot be searched as it is. */
export function misconfigured(why: string): RagGateError {
  return new RagGateError('retriever_misconfigured', `The index cannot be searched: ${why}`)
}
