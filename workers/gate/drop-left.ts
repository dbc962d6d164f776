/** Drops requests whose clients have left before anything is done for them. */
import type { MiddlewareHandler } from 'hono'

/** Requests in this isolate that are not over; those that wait for a turn are among them. */
let open = 0
/** As many start at once. */
const AT_ONCE = 4
/** Turns that are waited for at most, and the pause before each but the first. */
const TURNS = 20
const PAUSE_MS = 20
/** A runtime that gives a turn so much too late has more to do than it can. */
const LATE_MS = 10

/**
 * Has a request that comes while others are open wait for a turn of the runtime, and for further ones as long as they come
 * late. It looks for those who left only once it has nothing else to do: without the turns, a flood of them is worked off
 * whole. A runtime that merely waits for slow models or clients gives the first at once.
 *
 * @throws the reason of the request's signal, where its client has left
 */
export const dropLeft: MiddlewareHandler = async (c, next) => {
  const { signal } = c.req.raw
  let isOpen = true
  const end = (): void => {
    if (isOpen) open--
    isOpen = false
  }
  open++
  // The runtime may run nothing else of a request that it cancels.
  signal.addEventListener('abort', end)
  try {
    let isLate = open > AT_ONCE
    for (let turn = 0; isLate && turn < TURNS; turn++) {
      const pauseMs = turn && PAUSE_MS
      const beganMs = Date.now()
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      isLate = Date.now() - beganMs > pauseMs + LATE_MS
    }
    signal.throwIfAborted()
    await next()
  } finally {
    end()
  }
}
