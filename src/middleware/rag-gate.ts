/** The middleware `ragGate`. */
import type { MiddlewareHandler } from 'hono'
import { checkOptions } from './check-options.ts'
import { putResponse } from './context-response.ts'
import { dependenciesFor } from './dependencies.ts'
import type { RagGateEnv } from './gate-context.ts'
import { handleRequest } from './handle-request.ts'
import type { RagGateOptions } from './options.ts'
import { isHttpException, respondWithError } from './respond.ts'

/**
 * Makes the gate. Mount it before the handler that calls the model:
 *
 * ```ts
 * app.post('/ask', ragGate({ policy: balanced(), dependencies: { retriever } }), (c) => {
 *   const { question, context, summary } = c.var.ragGate
 *   …
 * })
 * ```
 *
 * A request that cannot be read or judged gets an error response with a stable code and never reaches the handler: without
 * judged evidence there is no model call.
 *
 * @throws `config_invalid`, `policy_invalid` when an option is invalid; `cache_scope_required` when unauthenticated callers
 *   would share a cache. If a function makes the dependencies, requests get error responses with these codes instead.
 */
export function ragGate<Bindings extends object = object>(
  options: RagGateOptions<Bindings>,
): MiddlewareHandler<RagGateEnv<Bindings>> {
  const checked = checkOptions(options)
  const dependencies = dependenciesFor(options.dependencies, checked)
  return async function ragGate(c, next) {
    try {
      await handleRequest(c, next, checked, dependencies(c.env))
    } catch (thrown) {
      if (isHttpException(thrown)) throw thrown
      putResponse(c, respondWithError(c, thrown))
    }
  }
}
