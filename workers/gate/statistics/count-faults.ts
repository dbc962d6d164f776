/** Counts requests that fail or are rejected, which no decision tells of. */
import { memberAt } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import type { ConsoleParts } from '@hono-rag-gate/console'

const HOUR_MS = 3_600_000
/** Between two writes, so that a flood of rejected requests is few rows; `waitUntil` ends after 30 s. */
const WRITE_EVERY_MS = 5_000
/** Kinds of faults that are held, some more than the API has; of more, those counted last are left out. */
const MOST_KINDS = 128

/** Faults of this isolate. */
export interface FaultCounter {
  /** @returns once it is written, or is left to the next fault */
  count(route: string, status: number, code: string): Promise<void>
}

/** Counts faults and writes them together. What D1 does not take is written with the next. */
export function createFaultCounter(faults: ConsoleParts['requestFaults'], clock: Clock): FaultCounter {
  let isolate: string | undefined
  let waiting: Promise<void> | undefined
  const counted = new Map<string, number>()

  async function writeOut(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS))
    waiting = undefined
    const known = [...counted].map(([key, requests]) => {
      // Written below.
      const [hourMs, route, status, code] = JSON.parse(key) as [number, string, number, string]
      return { key, fault: { hourMs, route, status, code, requests } }
    })
    isolate ??= crypto.randomUUID()
    try {
      await faults.note(
        isolate,
        known.map(({ fault }) => fault),
      )
    } catch {
      return
    }
    const hourMs = hourOf(clock.nowMs())
    // What was counted meanwhile is written with the next.
    for (const { key, fault } of known)
      if (fault.hourMs < hourMs && fault.requests === counted.get(key)) counted.delete(key)
  }

  return {
    async count(route, status, code) {
      const key = JSON.stringify([hourOf(clock.nowMs()), route, status, code])
      if (counted.has(key) || counted.size < MOST_KINDS) counted.set(key, (counted.get(key) ?? 0) + 1)
      waiting ??= writeOut()
      await waiting
    },
  }
}

const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** Ids within a path are left out; a path that is no route is `other`. What a route itself does not find counts under it. */
export function routeOf(path: string, status: number): string {
  const [, first = '', second = ''] = path.split('/')
  if (first === 'v1') return /^[a-z.]{1,20}$/.test(second) && status !== 404 ? `/v1/${second}` : '/v1'
  const isRoute = status !== 404 || second === ''
  return isRoute && ['ask', 'mcp', 'health', 'vector'].includes(first) ? `/${first}` : 'other'
}

/** Code and request id of an error that is answered; empty where it has none. */
export async function errorOf(response: Response): Promise<{ readonly code: string; readonly requestId: string }> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) {
    await response.body?.cancel()
    return { code: '', requestId: '' }
  }
  const body: unknown = await response.json().catch(() => undefined)
  const error = memberAt(body, 'error')
  // JSON-RPC has numbers, and beside them what they stand for.
  const told = memberAt(error, 'data') ?? error
  const [code, requestId] = ['code', 'request_id'].map((name) => memberAt(told, name))
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 64) : '',
    requestId: typeof requestId === 'string' ? requestId : '',
  }
}
