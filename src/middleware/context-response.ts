/** The one place where the response of a context is taken and put. */
import type { Context } from 'hono'
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

/** Puts a response into the context as it is. What was there is not read any more. */
export function putResponse(c: Context, response: Response): void {
  if (c.finalized) discard(c.res)
  set(c, response)
}

function set(c: Context, response: Response): void {
  c.res = undefined
  c.res = response
}
