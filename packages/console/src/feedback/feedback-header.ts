/** Sends a signed id with each answer, for feedback on it. */
import type { MiddlewareHandler } from 'hono'
import type { Authenticate, Principal } from 'hono-rag-gate/ports'
import type { ConsoleOptions } from '../options.ts'
import { partsFor } from '../parts.ts'

/** Name of the header with the signed id of an answer or refusal. */
const FEEDBACK_HEADER = 'rag-gate-feedback'

/**
 * Adds the header `rag-gate-feedback` with a signed id to every answer and refusal of the gate. Mount it before the
 * gate, with the options of the console; without `answerTokens` it does nothing.
 */
export function feedbackHeader<Bindings extends object>(
  options: ConsoleOptions | ((env: Bindings) => ConsoleOptions),
): MiddlewareHandler<{ Bindings: Bindings }> {
  const partsOf = partsFor(options)
  return async function feedbackHeader(c, next) {
    const { answerTokens: tokens, authenticate } = partsOf(c.env)
    if (tokens === undefined) return next()
    // Authenticates before the answer is made, so that a later failure cannot discard a finished answer.
    const principal = await whoAsks(authenticate, c.req.raw)
    await next()
    const [, eventId] = /;id="([^"]+)"/.exec(c.res.headers.get('rag-gate') ?? '') ?? []
    if (eventId === undefined || principal === null) return
    c.res.headers.set(FEEDBACK_HEADER, await tokens.sign(principal.tenant, eventId))
  }
}

/** `null` also if authentication fails: the gate reports that itself. */
async function whoAsks(authenticate: Authenticate, request: Request): Promise<Principal | null> {
  try {
    return await authenticate(request)
  } catch {
    return null
  }
}
