import type { Context } from 'hono'
import type { ConsoleParts } from '../parts.ts'

/** Context variables of the console's routes. */
export interface ConsoleEnv {
  readonly Variables: { readonly ragGateConsole: ConsoleParts }
}

/** Context of the console's routes. */
export type ConsoleContext = Context<ConsoleEnv>
