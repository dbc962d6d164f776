import { RagGateError } from 'hono-rag-gate/errors'

/** An index that cannot be searched as it is. */
export function misconfigured(why: string): RagGateError {
  return new RagGateError('retriever_misconfigured', `The index cannot be searched: ${why}`)
}
