/** The console as a mountable app: statistics, decisions, feedback, alerts, replay and erasure over HTTP. */
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
 * Makes the console's app over the database in which the gate records its decisions.
 *
 * @param options the options, or a function that makes them from the bindings, called once per bindings object
 * @throws `config_invalid` naming the option that is missing, unknown or invalid
 * @example app.route('/console', console({ db, authenticate }))
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
  // The mounted app's context variables are only visible to its own handlers.
  return app as unknown as Hono<{ Bindings: Bindings }>
}

function withNoStore(response: Response): Response {
  for (const [name, value] of Object.entries(NO_STORE)) response.headers.set(name, value)
  return response
}
