/** Aborts bodies that stall. */
import { RagGateError } from '../errors.ts'
import type { PieceRead } from './read-at-most.ts'

/** Deadlines for the pieces of a body, milliseconds. */
export interface SilenceLimits {
  /** For the first piece; at least `streamIdleTimeoutMs`. */
  readonly streamStartTimeoutMs: number
  /** For each further piece. */
  readonly streamIdleTimeoutMs: number
}

/**
 * Makes a function that waits for the pieces of a body, one after the other, and fails with `llm_timeout` after the deadline.
 * It uses one timer for many pieces, which checks how long the current wait has lasted.
 *
 * @param limitMs deadline for the first piece, milliseconds
 * @param betweenMs deadline for each further piece; at most `limitMs`
 */
export function silenceLimit(limitMs: number, betweenMs = limitMs): PieceRead {
  let timer: ReturnType<typeof setTimeout> | null = null
  let sinceMs = 0
  /** Absent while there is no wait. */
  let giveUp: ((failure: RagGateError) => void) | undefined
  const check = (): void => {
    timer = null
    // The next wait starts the timer again.
    if (giveUp === undefined) return
    const leftMs = sinceMs + limitMs - performance.now()
    if (leftMs > 0) timer = setTimeout(check, leftMs)
    else giveUp(new RagGateError('llm_timeout', 'The model took too long'))
  }
  return async (piece) => {
    sinceMs = performance.now()
    timer ??= setTimeout(check, betweenMs)
    let isOver = true
    try {
      const read = await new Promise<Awaited<typeof piece>>((resolve, reject) => {
        giveUp = reject
        piece.then(resolve, reject)
      })
      isOver = read.done
      limitMs = betweenMs
      return read
    } finally {
      giveUp = undefined
      if (isOver) clearTimeout(timer)
    }
  }
}
