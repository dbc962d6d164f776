/** Checks, takes and sets the response of a Hono context; nothing else does. */
import type { Context } from 'hono'
import { RagGateError } from '../errors.ts'
import { discard } from '../http/discard.ts'

/**
 * Takes the handler's response out of the context, and restores what outer middleware had set, because Hono merges headers
 * and status of the previous response into a new one.
 */
export function takeResponse(c: Context, left: Response): Response {
  const response = c.res
  c.status(200)
  set(c, left)
  return response
}

/**
 * Rejects anything that is not a response that can be sent; untyped applications may return anything.
 *
 * @throws `config_invalid`
 */
export function requireSendable(given: Response | undefined, by: string): asserts given is Response {
  // Duck-typed, because an adapter may replace the global class. The status of `Response.error()` is 0.
  if (given?.clone === undefined || !given.status || given.bodyUsed || given.body?.locked) {
    throw new RagGateError('config_invalid', `${by} returned no Response`)
  }
}

/** Sets the context's response without merging; the previous one is discarded. */
export function putResponse(c: Context, response: Response): void {
  if (c.finalized) discard(c.res)
  set(c, response)
}

function set(c: Context, response: Response): void {
  c.res = undefined
  c.res = response
}
