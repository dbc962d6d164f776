/** The signed id that comes with an answer, so that its reader can send feedback on it. */
import type { MiddlewareHandler } from 'hono'
import type { Authenticate, Principal } from 'hono-rag-gate/ports'
import type { ConsoleOptions } from '../options.ts'
import { partsFor } from '../parts.ts'

/** Names the header in which a signed id goes out with every answer and refusal. */
const FEEDBACK_HEADER = 'rag-gate-feedback'

/**
 * Gives every answer and refusal of the gate its signed id, in the header `rag-gate-feedback`. Mount it before the gate,
 * with the options of the console; without `answerTokens` it does nothing.
 */
export function feedbackHeader<Bindings extends object>(
  options: ConsoleOptions | ((env: Bindings) => ConsoleOptions),
): MiddlewareHandler<{ Bindings: Bindings }> {
  const partsOf = partsFor(options)
  return async function feedbackHeader(c, next) {
    const { answerTokens: tokens, authenticate } = partsOf(c.env)
    if (tokens === undefined) return next()
    // Found out before the answer is made: nothing that fails later may take a finished answer away.
    const principal = await whoAsks(authenticate, c.req.raw)
    await next()
    const [, eventId] = /;id="([^"]+)"/.exec(c.res.headers.get('rag-gate') ?? '') ?? []
    if (eventId === undefined || principal === null) return
    c.res.headers.set(FEEDBACK_HEADER, await tokens.sign(principal.tenant, eventId))
  }
}

/** `null` also where it cannot be told: the gate says so itself. */
async function whoAsks(authenticate: Authenticate, request: Request): Promise<Principal | null> {
  try {
    return await authenticate(request)
  } catch {
    return null
  }
}
