/** A stream that falls silent: it is given up, so that nothing is held for it. */
import { RagGateError } from '../errors.ts'
import { discard } from './discard.ts'
import { mediaTypeOf } from './media-type.ts'

/** How long a stream may be silent while its reader waits, milliseconds. */
export interface SilenceLimits {
  /** Before its first bytes. */
  readonly streamStartTimeoutMs: number
  /** Between them. */
  readonly streamIdleTimeoutMs: number
}

/** Whether a response is a stream of events. */
export function isStream({ body, headers }: Response): boolean {
  return body !== null && mediaTypeOf(headers.get('content-type')) === 'events'
}

/** A stream of events is given up where it falls silent, and not begun where only its headers were asked for. */
export function guardedStream(response: Response, limits: SilenceLimits, request: Request): Response {
  if (!isStream(response)) return response
  if (request.method !== 'HEAD') return withSilenceLimit(response, limits)
  discard(response)
  return new Response(null, response)
}

/**
 * Passes a stream on piece by piece. Where nothing comes of it for too long it fails with `llm_timeout`, and its source is
 * cancelled. Only the time counts in which a piece is waited for: a reader who is slow to ask for the next one may be.
 *
 * @param response one with a body
 */
export function withSilenceLimit(response: Response, limits: SilenceLimits): Response {
  const reader = response.body!.getReader()
  let limitMs = limits.streamStartTimeoutMs
  /** Absent while no reader waits. */
  let waitingSinceMs: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopTimer = (): void => {
    if (timer !== undefined) clearTimeout(timer)
    timer = undefined
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const check = (): void => {
          timer = undefined
          // The next who waits starts it again.
          if (waitingSinceMs === undefined) return
          const leftMs = waitingSinceMs + limitMs - performance.now()
          if (leftMs > 0) {
            timer = setTimeout(check, leftMs)
            return
          }
          const failure = new RagGateError('llm_timeout', 'The answer sent nothing for too long before its end')
          controller.error(failure)
          reader.cancel(failure).catch(() => undefined)
        }
        waitingSinceMs = performance.now()
        // One timer for many pieces: it finds out how long the latest has been waited for.
        timer ??= setTimeout(check, Math.min(limitMs, limits.streamIdleTimeoutMs))
        try {
          const { done, value } = await reader.read()
          waitingSinceMs = undefined
          if (done) {
            stopTimer()
            controller.close()
            return
          }
          limitMs = limits.streamIdleTimeoutMs
          controller.enqueue(value)
        } catch (thrown) {
          stopTimer()
          throw thrown
        }
      },
      cancel(reason) {
        stopTimer()
        return reader.cancel(reason)
      },
    },
    // Nothing is read ahead: without a waiting reader nothing is late.
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
