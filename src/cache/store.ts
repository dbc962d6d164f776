/** Into the store: what may be kept, for how long, and as what. */
import type { Decision } from '../core/policy/decision.ts'
import { handlerFreshness, staleIfErrorSeconds } from '../core/policy/handler-freshness.ts'
import { jitterOf, lifetimeSeconds } from '../core/policy/lifetimes.ts'
import { type MediaType, mediaTypeOf } from '../http/media-type.ts'
import { readAtMost } from '../http/read-at-most.ts'
import type { AgedAnswer, Lookup, Made, ReportedAnswer } from '../pipeline/gate-cache.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { CoalescedOutcome } from '../ports/coalescer.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { COALESCER_FAILED } from './coalesce.ts'
import { streamState } from './event-stream.ts'
import { storedHeaders } from './stored-headers.ts'

/** Largest answer that is stored. */
const MAX_STORED_BYTES = 262_144

const TOO_LARGE = 'size'
const UNSAID = 'end: report({ complete: true })'

type MadeAnswer = Extract<Made, { kind: 'answer' }>
type MadeRefusal = Extract<Made, { kind: 'refusal' }>

/**
 * Stores what was made of a question, and tells those who wait for it what became of it. What it needs of a response it
 * copies before it returns.
 *
 * @returns `undefined` where nothing is left to do
 */
export function store(parts: CacheParts, asked: CacheRequest, lookup: Lookup, made: Made): Promise<void> | undefined {
  const stored = asked.use.store ? storedAnswer(parts, asked, lookup, made) : undefined
  if (stored === undefined && lookup.leader === undefined) return undefined
  return putAndTell(parts, lookup, made, stored)
}

/** What is stored of what was made; `undefined` where it must not be kept. */
function storedAnswer(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  made: Made,
): StoredAnswer | Promise<StoredAnswer | undefined> | undefined {
  switch (made.kind) {
    case 'answer':
      return isUnimpaired(made.decision) ? storedFromHandler(parts, asked, lookup, made) : undefined
    case 'refusal':
      return isUnimpaired(made.decision) ? storedRefusal(parts, asked, lookup, made) : undefined
    case 'found':
      return lookup.storedAgain
    case 'nothing':
    case 'failure':
      return undefined
  }
}

/** Whether the reranker did its part: where it failed, the next question may get another answer. */
function isUnimpaired({ reranker }: Decision): boolean {
  return reranker !== 'failed' && reranker !== 'timeout'
}

async function putAndTell(
  { settings, ports }: CacheParts,
  { leader, evidenceKey }: Lookup,
  made: Made,
  stored: StoredAnswer | Promise<StoredAnswer | undefined> | undefined,
): Promise<void> {
  const tell = async (outcome: CoalescedOutcome): Promise<void> => {
    try {
      await leader?.complete(outcome)
    } catch (cause) {
      ports.onWarning({ code: 'coalescer_failed', message: COALESCER_FAILED, cause })
    }
  }
  try {
    const answer = await stored
    if (answer !== undefined) {
      // A refusal, and what was found under the evidence key, is stored under the question key alone.
      const others = made.kind === 'answer' && evidenceKey !== undefined ? [{ ...answer, key: evidenceKey }] : []
      await Promise.all([answer, ...others].map((entry) => settings.store.put(entry.key, entry)))
    }
    const failed = made.kind === 'failure' || (made.kind === 'found' && made.found.kind === 'stale')
    await tell(answer ?? (failed ? 'failed' : 'not-stored'))
  } catch (thrown) {
    await tell('failed')
    throw thrown
  }
}

/** A clean, whole answer, for as long as its confidence and the handler's own headers allow. */
function storedFromHandler(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  made: MadeAnswer,
): Promise<StoredAnswer | undefined> | undefined {
  const { response, decision, reported } = made
  const { policy } = lookup.place
  // In `observe` mode an answer may rest on evidence that the policy would have refused: it is sent, and not kept.
  if (decision.verdict === 'refuse' || reported().complete === false) return undefined
  // Behind disabled gates nothing was held back: such answers are for one look only.
  if (policy.dangerouslyDisableGates === true) return undefined
  const { unkept } = parts
  const fresh = handlerFreshness(
    response.status,
    (name) => response.headers.get(name),
    asked.startedMs,
    parts.settings.varyHeaders,
  )
  if (fresh.unkept !== undefined) return unkept(fresh.unkept)
  const { lifetimeSeconds: handlerSeconds, ageSeconds } = fresh
  const jitter = jitterOf(lookup.questionKey)
  const lifetime = lifetimeSeconds(policy, decision, { handlerSeconds, ageSeconds, jitter })
  const hasBody = response.body !== null
  // With status 200 an empty body is no answer; a redirect needs none.
  if (lifetime === 0 || (!hasBody && response.status === 200)) return undefined
  if (Number(response.headers.get('content-length') ?? 0) > MAX_STORED_BYTES) return unkept(TOO_LARGE)
  const copy = response.clone()
  return (async () => {
    const bytes = await readAtMost(copy.body, MAX_STORED_BYTES)
    if (bytes === undefined) return unkept(TOO_LARGE)
    const body = textIn(bytes)
    const media = mediaTypeOf(copy.headers.get('content-type'))
    // A stream may have been cut within a character.
    if (body === undefined) return media === 'events' ? undefined : unkept('encoding')
    const state = hasBody ? bodyState(body, media, reported().complete) : 'whole'
    if (state === 'unsaid') return unkept(UNSAID)
    if (state === 'cut') return undefined
    const kept = { body, status: copy.status, headers: copy.headers, outer: made.outer, reported: reported() }
    return recordOf(parts, asked, lookup, decision, { ...kept, lifetimeSeconds: lifetime, ageSeconds })
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

/**
 * A body that was cut ends like one that was not. JSON shows it, and so does a stream of an OpenAI-compatible model; of
 * anything else the handler must say so at the end.
 */
function bodyState(body: string, media: MediaType, complete: boolean | undefined): ReturnType<typeof streamState> {
  if (media === 'events') return streamState(body, complete)
  if (complete === false) return 'cut'
  if (media !== 'json') return complete ? 'whole' : 'unsaid'
  try {
    JSON.parse(body)
    return 'whole'
  } catch {
    return 'cut'
  }
}

/** A refusal, for the short time that the policy allows: without the headers that middleware around the gate set. */
function storedRefusal(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  { body, status, decision }: MadeRefusal,
): StoredAnswer | undefined {
  const lifetime = lifetimeSeconds(lookup.place.policy, decision)
  if (lifetime === 0) return undefined
  const headers = new Headers({ 'content-type': 'application/json' })
  const kept = { body, status, headers, outer: new Headers(), reported: {} }
  return recordOf(parts, asked, lookup, decision, { ...kept, lifetimeSeconds: lifetime, ageSeconds: 0 })
}

/**
 * What was found under the evidence key, as it is stored under the question key of today, so that the next one who asks needs no
 * retrieval. It gets no younger by that, and lives no longer than before, nor than today's judgement gives it.
 *
 * @returns `undefined` where the judgement of today must not be kept
 */
export function storedAgain(
  { questionKey, place: { policy } }: Lookup,
  { answer, residentSeconds }: AgedAnswer,
  decision: Decision,
): StoredAnswer | undefined {
  if (!isUnimpaired(decision)) return undefined
  const todays = Math.max(0, residentSeconds) + lifetimeSeconds(policy, decision, { jitter: jitterOf(questionKey) })
  return { ...answer, key: questionKey, lifetimeSeconds: Math.min(answer.lifetimeSeconds, todays) }
}

/** What is kept of a response. */
interface Kept extends Pick<StoredAnswer, 'body' | 'status' | 'lifetimeSeconds' | 'ageSeconds'> {
  readonly headers: Headers
  readonly outer: Headers
  readonly reported: ReportedAnswer
}

function recordOf(
  { settings }: CacheParts,
  { startedMs, request }: CacheRequest,
  { questionKey, purges }: Lookup,
  decision: Decision,
  { body, status, lifetimeSeconds, ageSeconds, headers, outer, reported: { model, usage } }: Kept,
): StoredAnswer {
  const staleSeconds = staleIfErrorSeconds((name) => headers.get(name), settings.staleIfErrorSeconds)
  return {
    schema: 2,
    key: questionKey,
    requestedAtMs: startedMs,
    lifetimeSeconds,
    ageSeconds,
    ...(staleSeconds === 0 ? {} : { staleIfErrorSeconds: staleSeconds }),
    status,
    headers: storedHeaders(status, headers, [...outer.keys()]),
    body,
    decision,
    principalId: request.principal.id,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    purgeEpoch: purges.epoch,
  }
}
