/** Into the answer cache: what may be kept, for how long, and as what. */
import type { Decision } from '../core/decision.ts'
import { handlerFreshness, lifetimeSeconds } from '../core/freshness.ts'
import type { Policy } from '../core/policy.ts'
import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnswerReport } from './gated.ts'

/** Headers of a refusal that are the same for everyone. */
export const REFUSAL_HEADERS = { 'content-type': 'application/json' }

/** What storing needs to know of one exchange. */
export interface Storing {
  readonly cache: AnswerCache
  readonly clock: Clock
  readonly key: string
  readonly policy: Policy
  readonly decision: Decision
  readonly report: AnswerReport
  /** Request headers that are part of the key. */
  readonly varyHeaders: readonly string[]
  readonly maxStoredBytes: number
}

/** Stores a clean, whole answer for as long as its confidence and the handler's own headers allow. */
export function storeAnswer(response: Response, storing: Storing): Promise<void> | undefined {
  const { cache, key, policy, decision, report, maxStoredBytes } = storing
  // In `observe` mode an answer may rest on evidence that the policy would have refused: it is sent, and not kept.
  if (decision.verdict === 'refuse' || report.complete === false) return undefined
  // Behind disabled gates nothing was held back: such answers are for one look only.
  if (policy.dangerouslyDisableGates === true) return undefined
  if (response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') === true) return undefined
  const allowed = handlerFreshness(response.status, (name) => response.headers.get(name), storing.varyHeaders)
  const lifetime = lifetimeSeconds(policy, decision, allowed)
  if (lifetime === 0 || response.body === null) return undefined
  if (Number(response.headers.get('content-length') ?? 0) > maxStoredBytes) return undefined
  const copy = response.clone()
  return (async () => {
    const bytes = await readAtMost(copy, maxStoredBytes)
    if (bytes === undefined) return
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    await cache.put(key, cachedAnswer(storing, lifetime, copy, body))
  })()
}

/** The body, or `undefined` when it is larger: then the rest is left to whoever reads the response itself. */
export async function readAtMost({ body }: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) break
    length += value.byteLength
    if (length > maxBytes) {
      // Not awaited: it settles only when the other reader is done as well.
      reader?.cancel().catch(() => undefined)
      return undefined
    }
    pieces.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return bytes
}

/** Stores a refusal for the short time that the policy allows. */
export function storeRefusal(body: string, status: number, storing: Storing): Promise<void> | undefined {
  const lifetime = lifetimeSeconds(storing.policy, storing.decision)
  if (lifetime === 0) return undefined
  // Headers that other middleware gave to this caller are not for the next one.
  const shared = new Response(null, { status, headers: REFUSAL_HEADERS })
  return storing.cache.put(storing.key, cachedAnswer(storing, lifetime, shared, body))
}

/** Headers that belong to one exchange, or that the gate writes itself. */
const NOT_STORED = new Set(
  `age cache-control cache-status connection content-length date keep-alive proxy-authenticate rag-gate server-timing te
  trailer transfer-encoding upgrade`.split(/\s+/),
)

function cachedAnswer(
  { clock, key, decision, report }: Storing,
  lifetime: number,
  response: Response,
  body: string,
): CachedAnswer {
  const named = new Set(
    response.headers
      .get('connection')
      ?.toLowerCase()
      .split(/\s*,\s*/),
  )
  return {
    schema: 1,
    key,
    storedAtMs: clock.nowMs(),
    lifetimeSeconds: lifetime,
    status: response.status,
    headers: [...response.headers].filter(([name]) => !NOT_STORED.has(name) && !named.has(name)),
    body,
    decision,
    ...(report.model === undefined ? {} : { model: report.model }),
    epochs: {},
  }
}
