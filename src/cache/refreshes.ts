/** Answers past their lifetime that are made anew after they were sent: at most once at a time in the isolate. */
import { keepNewest } from '../core/lib/keep-newest.ts'
import type { Context } from 'hono'
import { cloneRawRequest } from 'hono/request'
import type { GateWarning } from '../pipeline/question-settings.ts'
import type { Clock } from '../ports/clock.ts'

/** Sends a request to the application that the gate stands in. */
export type Revalidate = (request: Request, c: Context) => Response | Promise<Response>

export interface Refreshes {
  /** Whether a request makes an answer anew: it is never answered with what it is to replace. */
  isRefresh(request: Request): boolean
  /**
   * Asks a question again, as its caller asked it.
   *
   * @param key answer key of the question
   * @returns `undefined` while it is being asked again, and for a few seconds after that
   */
  refresh(key: string, c: Context, clock: Clock): Promise<void> | undefined
}

/** How long a refresh may be under way before another one begins; the platform ends it after 30 seconds at the latest. */
const LONGEST_MS = 60_000
/** How long a key is let alone after a refresh: a model that fails is not asked at every hit. */
const PAUSE_MS = 5000
/** Keys that are remembered. */
const MOST_KEYS = 1000

/** Headers of a request that say how it wants to be answered from a cache. */
const CACHE_HEADERS = ['cache-control', 'pragma', 'if-none-match', 'if-modified-since', 'range']

export function createRefreshes(revalidate: Revalidate, onWarning: (warning: GateWarning) => void): Refreshes {
  /** Requests that were made here, and whether the gate saw them. */
  const made = new WeakMap<Request, { seen: boolean }>()
  const pauses = new Map<string, { readonly sinceMs: number; readonly forMs: number }>()

  /** A pause that began in the future is over: the clock was set back. */
  const isPaused = (key: string, nowMs: number): boolean => {
    const pause = pauses.get(key)
    return pause !== undefined && nowMs >= pause.sinceMs && nowMs < pause.sinceMs + pause.forMs
  }

  async function ask(c: Context): Promise<void> {
    const copy = await cloneRawRequest(c.req)
    const headers = new Headers(copy.headers)
    for (const name of CACHE_HEADERS) headers.delete(name)
    // Without its signal: the caller has its answer, and may leave.
    const request = new Request(copy, { method: copy.method, headers, signal: null })
    const known = { seen: false }
    made.set(request, known)
    const response = await revalidate(request, c)
    // To its end, as a reader would: a stream is stored when it was sent.
    await response.body?.pipeTo(new WritableStream())
    if (!known.seen) onWarning(failed('A refresh did not reach the gate as it was given to cache.revalidate'))
    else if (response.status >= 400) onWarning(failed(`A refresh was answered with ${response.status}`))
  }

  return {
    isRefresh(request) {
      const known = made.get(request)
      if (known !== undefined) known.seen = true
      return known !== undefined
    },
    refresh(key, c, clock) {
      const pause = (forMs: number): void => keepNewest(pauses, key, { sinceMs: clock.nowMs(), forMs }, MOST_KEYS)
      if (isPaused(key, clock.nowMs())) return undefined
      pause(LONGEST_MS)
      return ask(c)
        .catch((cause: unknown) => onWarning({ ...failed('A refresh failed'), cause }))
        .finally(() => pause(PAUSE_MS))
    },
  }
}

const failed = (message: string): GateWarning => ({ code: 'refresh_failed', message })
