import type { Context } from 'hono'
import type { ConsoleParts } from '../parts.ts'

/** What the routes of a console find in their context. */
export interface ConsoleEnv {
  readonly Variables: { readonly ragGateConsole: ConsoleParts }
}

/** The context of its routes. */
export type ConsoleContext = Context<ConsoleEnv>
