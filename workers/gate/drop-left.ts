/** Drops requests of disconnected clients before doing any work for them. */
import type { MiddlewareHandler } from 'hono'

/** Number of running requests in this isolate, including those waiting here. */
let open = 0
/** Number of requests that start without waiting. */
const AT_ONCE = 4
/** Maximum number of turns to wait for, and the pause before each but the first. */
const TURNS = 20
const PAUSE_MS = 20
/** A turn this late shows that the runtime is overloaded. */
const LATE_MS = 10

/**
 * While other requests are running, a new request waits for a turn of the event loop, and for further turns as long as
 * they come late. The runtime only notices disconnected clients when it is idle, so without waiting a flood of them
 * would be processed completely. If other requests only wait for models or clients, the first turn comes at once.
 *
 * @throws the reason of the request's signal if its client has disconnected
 */
export const dropLeft: MiddlewareHandler = async (c, next) => {
  const { signal } = c.req.raw
  let isOpen = true
  const end = (): void => {
    if (isOpen) open--
    isOpen = false
  }
  open++
  // The runtime may run no other code of a cancelled request.
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
