import type { Context } from 'hono'
import { RagGateError } from 'hono-rag-gate/errors'
import { respondWithError } from 'hono-rag-gate/middleware'

/**
 * Responds to other methods than those of a path's routes: 405, with the allowed methods.
 *
 * @returns a handler for each path, to be registered after the routes
 */
export function otherMethods(
  routes: readonly (readonly [method: string, path: string, ...serving: readonly unknown[]])[],
): readonly (readonly [path: string, handler: (c: Context) => Response])[] {
  return [...new Set(routes.map(([, path]) => path))].map((path) => {
    const methods = routes.filter(([, each]) => each === path).map(([method]) => method)
    const allowed = methods.sort().join(', ')
    return [
      path,
      (c) => {
        const response = respondWithError(c, new RagGateError('method_not_allowed', `Use ${allowed} here`))
        response.headers.set('allow', allowed)
        return response
      },
    ]
  })
}
