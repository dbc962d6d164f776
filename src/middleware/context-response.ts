/** The one place where the response of a context is checked, taken and put. */
import type { Context } from 'hono'
import { RagGateError } from '../errors.ts'
import { discard } from '../http/discard.ts'

/**
 * Takes the handler's answer out of the context, and leaves there what middleware around the gate had set: Hono gives a new
 * response the headers and the status of the one before.
 */
export function takeResponse(c: Context, left: Response): Response {
  const response = c.res
  c.status(200)
  set(c, left)
  return response
}

/**
 * Refuses what an application gave in place of a response: without types that may be anything.
 *
 * @throws `config_invalid`
 */
export function requireSendable(given: Response | undefined, by: string): asserts given is Response {
  // Not by its class, of which there may be two: an adapter may replace the global one. Of `Response.error()` the status is 0.
  if (given?.clone === undefined || !given.status || given.bodyUsed || given.body?.locked) {
    throw new RagGateError('config_invalid', `${by} returned no Response`)
  }
}

/** Puts a response into the context as it is. What was there is not read any more. */
export function putResponse(c: Context, response: Response): void {
  if (c.finalized) discard(c.res)
  set(c, response)
}

function set(c: Context, response: Response): void {
  c.res = undefined
  c.res = response
}
