/** Into the answer cache: what may be kept, for how long, and as what. */
import type { Decision } from '../core/policy/decision.ts'
import { handlerFreshness, type HandlerFreshness, staleIfErrorSeconds } from '../core/policy/handler-freshness.ts'
import { jitterOf, lifetimeSeconds } from '../core/policy/lifetimes.ts'
import type { Policy } from '../core/policy/policy.ts'
import { readAtMost } from '../http/read-at-most.ts'
import type { AnswerCache, CachedAnswer } from '../ports/answer-cache.ts'
import type { AnswerReport } from '../middleware/gate-context.ts'
import { type MediaType, mediaTypeOf } from '../http/media-type.ts'
import { isWholeStream } from './event-stream.ts'
import { storedHeaders } from './stored-headers.ts'

/** What storing needs to know of one exchange. */
export interface Storing {
  readonly store: AnswerCache
  readonly key: string
  /** Where an answer is kept as well, under what it rests on. */
  readonly evidenceKey?: string
  readonly policy: Policy
  readonly decision: Decision
  /** What the handler reported so far: asked again once the body is whole. */
  readonly reported: () => AnswerReport
  /** Request headers that are part of the key. */
  readonly varyHeaders: readonly string[]
  /** Names of headers, in lower case, that middleware around the gate had set for this caller: they are not stored. */
  readonly outerHeaders: readonly string[]
  /** How long past its lifetime an answer may stand in for a retriever or a handler that failed, seconds. */
  readonly staleIfErrorSeconds: number
  /** When the question came, milliseconds since 1970: its answer ages from then on. */
  readonly requestedAtMs: number
  readonly principalId: string
  /** Latest purge known when the question came. */
  readonly purgeEpoch: number
}

/** Largest answer that is stored. */
const MAX_STORED_BYTES = 262_144

/**
 * Stores a clean, whole answer for as long as its confidence and the handler's own headers allow.
 *
 * @returns what was stored; `undefined` where nothing was
 */
export function storeAnswer(response: Response, storing: Storing): Promise<CachedAnswer | undefined> | undefined {
  const { policy, decision, reported } = storing
  // In `observe` mode an answer may rest on evidence that the policy would have refused: it is sent, and not kept.
  if (decision.verdict === 'refuse' || reported().complete === false) return undefined
  // Behind disabled gates nothing was held back: such answers are for one look only.
  if (policy.dangerouslyDisableGates === true) return undefined
  const allowed = handlerFreshness(
    response.status,
    (name) => response.headers.get(name),
    storing.requestedAtMs,
    storing.varyHeaders,
  )
  const lifetime = lifetimeOf(storing, allowed)
  const hasBody = response.body !== null
  // Whatever else an answer without a body is, it is none; a redirect says all in its headers.
  if (lifetime === 0 || (!hasBody && response.status === 200)) return undefined
  if (Number(response.headers.get('content-length') ?? 0) > MAX_STORED_BYTES) return undefined
  const copy = response.clone()
  return (async () => {
    const bytes = await readAtMost(copy.body, MAX_STORED_BYTES)
    if (bytes === undefined) return undefined
    const body = textIn(bytes)
    if (body === undefined) return undefined
    if (hasBody && !isWhole(body, mediaTypeOf(copy.headers.get('content-type')), reported().complete)) return undefined
    return put(storing, cachedAnswer(storing, lifetime, allowed.ageSeconds, copy, body))
  })()
}

/** A stored body is text: one in another encoding is not kept. */
function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function lifetimeOf(
  { policy, decision, key }: Storing,
  { lifetimeSeconds: handlerSeconds, ageSeconds }: HandlerFreshness,
) {
  return lifetimeSeconds(policy, decision, { handlerSeconds, ageSeconds, jitter: jitterOf(key) })
}

/**
 * A body that was cut ends like one that was not. JSON shows it, and so does a stream of an OpenAI-compatible model; of
 * anything else the handler must say so at the end.
 */
function isWhole(body: string, media: MediaType, complete: boolean | undefined): boolean {
  if (media === 'events') return isWholeStream(body, complete)
  if (media !== 'json' || complete === false) return complete === true
  try {
    JSON.parse(body)
    return true
  } catch {
    return false
  }
}

/** Stores a refusal for the short time that the policy allows. */
export function storeRefusal(body: string, status: number, storing: Storing): Promise<CachedAnswer> | undefined {
  const lifetime = lifetimeSeconds(storing.policy, storing.decision)
  if (lifetime === 0) return undefined
  // Headers that other middleware gave to this caller are not for the next one.
  const shared = new Response(null, { status, headers: { 'content-type': 'application/json' } })
  const { evidenceKey: _, ...byQuestion } = storing
  return put(byQuestion, cachedAnswer(storing, lifetime, 0, shared, body))
}

/**
 * Stores an answer that was found by its evidence under the question key of today, so that the next one who asks needs no
 * retrieval. It gets no younger by that, and lives no longer than before, nor than today's judgement gives it.
 */
export function storeByQuestion(
  answer: CachedAnswer,
  { store, key, policy, decision }: Pick<Storing, 'store' | 'key' | 'policy' | 'decision'>,
  nowMs: number,
): Promise<CachedAnswer> {
  const residentSeconds = Math.max(0, Math.floor((nowMs - answer.requestedAtMs) / 1000))
  const todays = residentSeconds + lifetimeSeconds(policy, decision, { jitter: jitterOf(key) })
  return put({ store }, { ...answer, key, lifetimeSeconds: Math.min(answer.lifetimeSeconds, todays) })
}

async function put(
  { store, evidenceKey }: Pick<Storing, 'store' | 'evidenceKey'>,
  answer: CachedAnswer,
): Promise<CachedAnswer> {
  const entries = evidenceKey === undefined ? [answer] : [answer, { ...answer, key: evidenceKey }]
  await Promise.all(entries.map((entry) => store.put(entry.key, entry)))
  return answer
}

function cachedAnswer(
  storing: Storing,
  lifetime: number,
  ageSeconds: number,
  response: Response,
  body: string,
): CachedAnswer {
  const { key, decision, reported, requestedAtMs, principalId, purgeEpoch, outerHeaders } = storing
  const { model, usage } = reported()
  const header = (name: string): string | null => response.headers.get(name)
  const staleSeconds = staleIfErrorSeconds(header, storing.staleIfErrorSeconds)
  return {
    schema: 2,
    key,
    requestedAtMs,
    lifetimeSeconds: lifetime,
    ageSeconds,
    ...(staleSeconds === 0 ? {} : { staleIfErrorSeconds: staleSeconds }),
    status: response.status,
    headers: storedHeaders(response.headers, outerHeaders),
    body,
    decision,
    principalId,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    purgeEpoch,
  }
}
