/** Counts failed and rejected requests, which have no decision. */
import { memberAt } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'
import type { ConsoleParts } from '@hono-rag-gate/console'

const HOUR_MS = 3_600_000
/** Interval between writes, so that a flood of rejected requests makes few rows; `waitUntil` ends after 30 s. */
const WRITE_EVERY_MS = 5_000
/** Maximum number of kinds of faults, more than the API has; further ones are not counted. */
const MOST_KINDS = 128

/** Counts the faults of this isolate. */
export interface FaultCounter {
  /** @returns when it is written, or left to the next write */
  count(route: string, status: number, code: string): Promise<void>
}

/** Counts faults and writes them together. Failed writes are repeated with the next. */
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
    // Faults counted in the meantime are part of the next write.
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

/** The route of a path, without ids; `other` for an unknown one. A 404 of a route itself counts under the route. */
export function routeOf(path: string, status: number): string {
  const [, first = '', second = ''] = path.split('/')
  if (first === 'v1') return /^[a-z.]{1,20}$/.test(second) && status !== 404 ? `/v1/${second}` : '/v1'
  const isRoute = status !== 404 || second === ''
  return isRoute && ['ask', 'mcp', 'health', 'vector'].includes(first) ? `/${first}` : 'other'
}

/** Code and request id of an error response; empty without them. */
export async function errorOf(response: Response): Promise<{ readonly code: string; readonly requestId: string }> {
  if (!(response.headers.get('content-type') ?? '').includes('json')) {
    await response.body?.cancel()
    return { code: '', requestId: '' }
  }
  const body: unknown = await response.json().catch(() => undefined)
  const error = memberAt(body, 'error')
  // JSON-RPC has numeric codes, and the gate's own beside them in `data`.
  const told = memberAt(error, 'data') ?? error
  const [code, requestId] = ['code', 'request_id'].map((name) => memberAt(told, name))
  return {
    code: typeof code === 'string' || typeof code === 'number' ? String(code).slice(0, 64) : '',
    requestId: typeof requestId === 'string' ? requestId : '',
  }
}
