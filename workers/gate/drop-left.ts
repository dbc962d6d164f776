/** Drops requests whose clients have left before anything is done for them. */
import type { MiddlewareHandler } from 'hono'

/** Requests at work in this isolate; those that wait for a turn are among them. */
let atWork = 0
/** As many start at once. */
const AT_ONCE = 4

/**
 * Has a request that comes while others are at work wait for a turn of the runtime. It looks for those who left only
 * once it has nothing else to do: without the turn, a flood of them is worked off whole.
 *
 * @throws the reason of the request's signal, where its client has left
 */
export const dropLeft: MiddlewareHandler = async (c, next) => {
  const { signal } = c.req.raw
  let isAtWork = true
  const end = (): void => {
    if (isAtWork) atWork--
    isAtWork = false
  }
  atWork++
  // The runtime may run nothing else of a request that it cancels.
  signal.addEventListener('abort', end)
  try {
    if (atWork > AT_ONCE) await new Promise((resolve) => setTimeout(resolve))
    signal.throwIfAborted()
    await next()
  } finally {
    end()
  }
}
