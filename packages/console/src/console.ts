/** The console: statistics, decisions, feedback, alerts, replay and erasure over HTTP, as an app that any app mounts. */
import { Hono } from 'hono/tiny'
import { respondWithError } from 'hono-rag-gate/middleware'
import type { ConsoleEnv } from './api/context.ts'
import { NO_STORE } from './api/wire.ts'
import { otherMethods } from './api/other-methods.ts'
import { CONSOLE_ROUTES } from './api/routes.ts'
import { CONSOLE_STATUS } from './errors.ts'
import type { ConsoleOptions } from './options.ts'
import { partsFor } from './parts.ts'

/**
 * The console over a database that the gate records its decisions in.
 *
 * @param options as they are, or made from the bindings, once for each object of them
 * @throws `config_invalid` naming the option that is missing, unknown or of another kind
 * @example
 * app.route('/console', console({ db, authenticate }))
 */
export function console<Bindings extends object = object>(
  options: ConsoleOptions | ((env: Bindings) => ConsoleOptions),
): Hono<{ Bindings: Bindings }> {
  const partsOf = partsFor(options)
  const app = new Hono<ConsoleEnv>()
  for (const [method, path, handler] of CONSOLE_ROUTES) {
    app.on(method, [path], (c) => {
      // They are those of the app that mounts this one.
      c.set('ragGateConsole', partsOf(c.env as Bindings))
      return handler(c)
    })
  }
  for (const [path, refuse] of otherMethods(CONSOLE_ROUTES)) app.all(path, (c) => withNoStore(refuse(c)))
  app.onError((thrown, c) => withNoStore(respondWithError(c, thrown, CONSOLE_STATUS)))
  // What a mounted app sets in its context concerns its own handlers alone.
  return app as unknown as Hono<{ Bindings: Bindings }>
}

function withNoStore(response: Response): Response {
  for (const [name, value] of Object.entries(NO_STORE)) response.headers.set(name, value)
  return response
}
