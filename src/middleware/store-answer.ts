/** Into the answer cache: what may be kept, for how long, and as what. */
import type { Decision } from '../core/policy/decision.ts'
import { forbidsStale, handlerFreshness, lifetimeSeconds } from '../core/policy/lifetimes.ts'
import type { Policy } from '../core/policy/policy.ts'
import { readAtMost } from '../http/read-at-most.ts'
import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'
import type { Clock } from '../ports/clock.ts'
import type { AnswerReport } from './gate-context.ts'
import { type MediaType, mediaTypeOf } from './media-type.ts'

/** Headers of a refusal that are the same for everyone. */
export const REFUSAL_HEADERS = { 'content-type': 'application/json' }

/** What storing needs to know of one exchange. */
export interface Storing {
  readonly cache: AnswerCache
  readonly clock: Clock
  readonly key: string
  readonly policy: Policy
  readonly decision: Decision
  /** What the handler reported so far: asked again once the body is whole. */
  readonly reported: () => AnswerReport
  /** Request headers that are part of the key. */
  readonly varyHeaders: readonly string[]
  readonly maxStoredBytes: number
  /** How long past its lifetime an answer may stand in for a retriever that failed, seconds. */
  readonly staleIfErrorSeconds: number
}

/** Stores a clean, whole answer for as long as its confidence and the handler's own headers allow. */
export function storeAnswer(response: Response, storing: Storing): Promise<void> | undefined {
  const { cache, key, policy, decision, reported, maxStoredBytes } = storing
  // In `observe` mode an answer may rest on evidence that the policy would have refused: it is sent, and not kept.
  if (decision.verdict === 'refuse' || reported().complete === false) return undefined
  // Behind disabled gates nothing was held back: such answers are for one look only.
  if (policy.dangerouslyDisableGates === true) return undefined
  const allowed = handlerFreshness(response.status, (name) => response.headers.get(name), storing.varyHeaders)
  const lifetime = lifetimeSeconds(policy, decision, allowed)
  if (lifetime === 0 || response.body === null) return undefined
  if (Number(response.headers.get('content-length') ?? 0) > maxStoredBytes) return undefined
  const copy = response.clone()
  return (async () => {
    const bytes = await readAtMost(copy.body, maxStoredBytes)
    if (bytes === undefined) return
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (isWhole(body, mediaTypeOf(copy.headers), reported().complete))
      await cache.put(key, cachedAnswer(storing, lifetime, copy, body))
  })()
}

/** A body that was cut ends like one that was not. JSON shows it; of anything else the handler must say so at the end. */
function isWhole(body: string, media: MediaType, complete: boolean | undefined): boolean {
  if (media !== 'json' || complete === false) return complete === true
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

/** Stores a refusal for the short time that the policy allows. */
export function storeRefusal(body: string, status: number, storing: Storing): Promise<void> | undefined {
  const lifetime = lifetimeSeconds(storing.policy, storing.decision)
  if (lifetime === 0) return undefined
  // Headers that other middleware gave to this caller are not for the next one.
  const shared = new Response(null, { status, headers: REFUSAL_HEADERS })
  return storing.cache.put(storing.key, cachedAnswer(storing, lifetime, shared, body))
}

/** Headers that describe the body. All others were given to one caller, perhaps by other middleware. */
const STORED: ReadonlySet<string> = new Set(['content-type', 'content-language'])

function cachedAnswer(
  { clock, key, decision, reported, staleIfErrorSeconds }: Storing,
  lifetime: number,
  response: Response,
  body: string,
): CachedAnswer {
  const { model } = reported()
  return {
    schema: 1,
    key,
    storedAtMs: clock.nowMs(),
    lifetimeSeconds: lifetime,
    ...(staleIfErrorSeconds > 0 && !forbidsStale((name) => response.headers.get(name)) ? { staleIfErrorSeconds } : {}),
    status: response.status,
    headers: [...response.headers].filter(([name]) => STORED.has(name)),
    body,
    decision,
    ...(model === undefined ? {} : { model }),
    epochs: {},
  }
}
