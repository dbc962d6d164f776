/** A body that falls silent is given up, so that nothing is held for it. */
import { RagGateError } from '../errors.ts'
import type { PieceRead } from './read-at-most.ts'

/** How long a body may be silent while a piece of it is waited for, milliseconds. */
export interface SilenceLimits {
  /** Before its first bytes; no less than between them. */
  readonly streamStartTimeoutMs: number
  /** Between them. */
  readonly streamIdleTimeoutMs: number
}

/**
 * Waits for the pieces of a body, one after the other. What is waited for too long is `llm_timeout`. One timer for many
 * pieces: it finds out how long the latest has been waited for.
 *
 * @param limitMs how long the first may take, milliseconds
 * @param betweenMs how long each other may take; no longer than the first
 */
export function silenceLimit(limitMs: number, betweenMs = limitMs): PieceRead {
  let timer: ReturnType<typeof setTimeout> | null = null
  let sinceMs = 0
  /** Absent while nothing is waited for. */
  let giveUp: ((failure: RagGateError) => void) | undefined
  const check = (): void => {
    timer = null
    // The next wait starts it again.
    if (giveUp === undefined) return
    const leftMs = sinceMs + limitMs - performance.now()
    if (leftMs > 0) timer = setTimeout(check, leftMs)
    else giveUp(new RagGateError('llm_timeout', 'The answer fell silent'))
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
