import type { Context } from 'hono'
import { RagGateError } from 'hono-rag-gate/errors'
import { respondWithError } from 'hono-rag-gate/middleware'

/**
 * What a path answers to other methods than those that its routes serve: 405, with the ones that it takes.
 *
 * @returns a handler for each path, to be registered behind the routes
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
