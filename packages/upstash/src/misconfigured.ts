import { RagGateError } from 'hono-rag-gate/errors'

/** Why an index for vectors that the client supplies cannot be searched without an embedder. */
export const EMBEDS_NOTHING = 'it embeds no texts, and the retriever has no embedder'

/** The error for an index that cannot be searched in its current configuration. */
export function misconfigured(why: string): RagGateError {
  return new RagGateError('retriever_misconfigured', `The index cannot be searched: ${why}`)
}
