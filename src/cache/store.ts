/** Stores answers: which, for how long, and in what form. */
import type { Decision } from '../core/policy/decision.ts'
import { handlerFreshness, staleIfErrorSeconds } from '../core/policy/handler-freshness.ts'
import { jitterOf, lifetimeSeconds } from '../core/policy/lifetimes.ts'
import { type MediaType, mediaTypeOf } from '../http/media-type.ts'
import { readAtMost } from '../http/read-at-most.ts'
import { utf8TextOf } from '../http/utf8.ts'
import type { AgedAnswer, Lookup, Made, ReportedAnswer } from '../pipeline/gate-cache.ts'
import { inTime } from '../pipeline/within-deadline.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { CoalescedOutcome } from '../ports/coalescer.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { COALESCER_FAILED, LEFT } from './coalesce.ts'
import { streamState } from './event-stream.ts'
import { LONGEST_SECONDS } from './is-stored-answer.ts'
import { CACHE_FAULTS } from './stored-answer.ts'
import { storedHeaders } from './stored-headers.ts'

/** Largest answer that is stored. */
const MAX_STORED_BYTES = 262_144

/** Deadline for storing an answer, milliseconds: others may be waiting for it. */
const PUT_TIMEOUT_MS = 5000

const TOO_LARGE = 'size'
const UNSAID = 'end: report({ complete: true })'

type MadeAnswer = Extract<Made, { kind: 'answer' }>
type MadeRefusal = Extract<Made, { kind: 'refusal' }>

/**
 * Stores the result of a question, and reports the outcome to waiting callers. It copies what it needs of the response before
 * it returns.
 *
 * @returns `undefined` if nothing is left to do
 */
export function store(parts: CacheParts, asked: CacheRequest, lookup: Lookup, made: Made): Promise<void> | undefined {
  const outcome = asked.use.store ? outcomeOf(parts, asked, lookup, made) : SEPARATE
  if (outcome === SEPARATE && lookup.leader === undefined) return undefined
  return storeAndNotify(parts, asked.received, lookup, made, outcome)
}

const SEPARATE: CoalescedOutcome = { kind: 'separate' }
const FAILED: CoalescedOutcome = { kind: 'failed' }

/** The outcome for waiting callers. */
function outcomeOf(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  made: Made,
): CoalescedOutcome | Promise<CoalescedOutcome> {
  switch (made.kind) {
    case 'answer':
      return handlersOutcome(parts, asked, lookup, made)
    case 'refusal': {
      const answer = rerankerSucceeded(made.decision) ? storedRefusal(parts, asked, lookup, made) : undefined
      return answer === undefined ? SEPARATE : { kind: 'answer', answer, isStored: true }
    }
    case 'found':
      if (made.found.kind === 'stale') return FAILED
      return lookup.storedUnderQuestionKey === undefined
        ? SEPARATE
        : { kind: 'answer', answer: lookup.storedUnderQuestionKey, isStored: true }
    case 'nothing':
      return SEPARATE
    case 'failure':
      return FAILED
  }
}

/** Whether the reranker succeeded. If it failed, the next question may be judged differently, so nothing is stored. */
function rerankerSucceeded({ reranker }: Decision): boolean {
  return reranker !== 'failed' && reranker !== 'timeout'
}

async function storeAndNotify(
  { settings, ports }: CacheParts,
  { signal }: Request,
  { leader, evidenceKey }: Lookup,
  made: Made,
  making: CoalescedOutcome | Promise<CoalescedOutcome>,
): Promise<void> {
  let outcome: CoalescedOutcome = FAILED
  try {
    outcome = await making
    if (outcome.kind === 'answer' && outcome.isStored) {
      const { answer } = outcome
      // A refusal, and an answer found under the evidence key, are stored under the question key only.
      const others =
        made.kind === 'answer' && evidenceKey !== undefined
          ? [{ ...answer, key: evidenceKey, sameAs: answer.key, headers: [], body: '' }]
          : []
      const put = (entry: StoredAnswer): Promise<void> =>
        inTime(PUT_TIMEOUT_MS, CACHE_FAULTS, () => settings.store.put(entry.key, entry))
      await Promise.all([answer, ...others].map(put)).catch((cause: unknown) => {
        // Waiting callers still get it.
        outcome = { kind: 'answer', answer, isStored: false }
        ports.onWarning({ code: 'store_unavailable', message: 'The answer is not cached', cause })
      })
    }
  } finally {
    try {
      // Without an answer from a client that disconnected, nothing is known of the next one.
      await leader?.complete(outcome.kind !== 'answer' && signal.aborted ? LEFT : outcome)
    } catch (cause) {
      ports.onWarning({ code: 'coalescer_failed', message: COALESCER_FAILED, cause })
    }
  }
}

/**
 * Stores a complete answer, for as long as its confidence and the handler's headers allow. Simultaneous callers may get an
 * answer that is not stored, even a truncated one, because the first caller gets it too.
 */
function handlersOutcome(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  made: MadeAnswer,
): CoalescedOutcome | Promise<CoalescedOutcome> {
  const { response, decision, reported, copy = () => response.clone().body } = made
  const { policy } = lookup.place
  // In `observe` mode an answer may be based on evidence that the policy would have refused, and with disabled gates nothing
  // is refused: such answers are never stored.
  if (decision.verdict === 'refuse' || policy.dangerouslyDisableGates === true) return SEPARATE
  const { warnNotStored, sharing } = parts
  const { status } = response
  const header = (name: string): string | null => response.headers.get(name)
  const fresh = handlerFreshness(status, header, asked.startedMs, parts.settings.varyHeaders)
  const { lifetimeSeconds: handlerSeconds, ageSeconds } = fresh
  sharing.isBarred = handlerSeconds === 0 && status === 200
  if (fresh.whyNotStored !== undefined) warnNotStored(fresh.whyNotStored)
  const jitter = jitterOf(lookup.questionKey)
  const lifetime = lifetimeSeconds(policy, decision, { handlerSeconds, ageSeconds, jitter })
  const hasBody = response.body !== null
  // An empty body with status 200 is not an answer; a redirect needs no body.
  if (lifetime === 0 || (!hasBody && status === 200)) return SEPARATE
  const mayBeStored = rerankerSucceeded(decision) && reported().complete !== false
  const { leader } = lookup
  if (!mayBeStored && leader === undefined) return SEPARATE
  const media = mediaTypeOf(header('content-type'))
  // A copy, because headers for this request only are added to the response later.
  const headers = new Headers(response.headers)
  const answerOf = (body: string): StoredAnswer => {
    const kept = { body, status, headers, outer: made.outer, reported: reported() }
    return recordOf(parts, asked, lookup, decision, { ...kept, lifetimeSeconds: lifetime, ageSeconds })
  }
  // Followers get streams piece by piece; JSON is useful only when complete.
  const along = leader !== undefined && media !== 'json' ? copy() : null
  try {
    if (along !== null) leader?.begin(answerOf(''), along)
  } catch (cause) {
    parts.ports.onWarning({ code: 'coalescer_failed', message: COALESCER_FAILED, cause })
    along?.cancel().catch(() => undefined)
  }
  if (along === null && Number(header('content-length') ?? 0) > MAX_STORED_BYTES) {
    warnNotStored(TOO_LARGE)
    return SEPARATE
  }
  const kept = copy()
  return (async () => {
    const unstored: CoalescedOutcome = along !== null ? { kind: 'ended' } : SEPARATE
    // A broken stream was already reported to its reader and logged.
    const bytes = await readAtMost(kept, MAX_STORED_BYTES).catch(() => null)
    if (bytes === null) return FAILED
    if (bytes === undefined) {
      warnNotStored(TOO_LARGE)
      return unstored
    }
    // Only UTF-8 is stored.
    const body = utf8TextOf(bytes)
    // A stream may have been cut inside a character.
    if (body === undefined) {
      if (media !== 'events') warnNotStored('encoding')
      return unstored
    }
    const state = hasBody ? bodyState(body, media, reported().complete) : 'whole'
    if (state === 'unsaid') warnNotStored(UNSAID)
    const isStored = mayBeStored && state === 'whole'
    if (media === 'json' && state === 'cut' && reported().complete !== false) return FAILED
    return isStored || along === null ? { kind: 'answer', answer: answerOf(body), isStored } : unstored
  })()
}

/**
 * Whether a body is complete. This can be seen in JSON and in streams of OpenAI-compatible models; for anything else the
 * handler must report it at the end.
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

/** Lifetime of a refusal whose key does not change with the documents, seconds. */
const BRIEF_SECONDS = 30

/**
 * A refusal to store, without headers of outer middleware. Its key contains the corpus version; if that never rises, or a
 * model's answer was refused, it is stored only briefly.
 */
function storedRefusal(
  parts: CacheParts,
  asked: CacheRequest,
  lookup: Lookup,
  { body, status, decision }: MadeRefusal,
): StoredAnswer | undefined {
  const { policy, collection } = lookup.place
  const isShortLived =
    decision.answerSignals !== undefined || collection.documents === 'elsewhere' || collection.corpusVersion === 0
  const lifetime = Math.min(lifetimeSeconds(policy, decision), isShortLived ? BRIEF_SECONDS : Infinity)
  if (lifetime === 0) return undefined
  const headers = new Headers({ 'content-type': 'application/json' })
  const kept = { body, status, headers, outer: new Headers(), reported: {} }
  return recordOf(parts, asked, lookup, decision, { ...kept, lifetimeSeconds: lifetime, ageSeconds: 0 })
}

/**
 * Converts an answer found under the evidence key into an entry under the current question key, so that the next caller needs
 * no retrieval. Its age stays the same, and its lifetime becomes the shorter of the old one and that of the new judgement.
 *
 * @returns `undefined` if the new judgement must not be stored
 */
export function storedUnderQuestionKey(
  { questionKey, place: { policy } }: Lookup,
  { answer, residentSeconds }: AgedAnswer,
  decision: Decision,
): StoredAnswer | undefined {
  if (!rerankerSucceeded(decision)) return undefined
  const todays = Math.max(0, residentSeconds) + lifetimeSeconds(policy, decision, { jitter: jitterOf(questionKey) })
  return { ...answer, key: questionKey, lifetimeSeconds: Math.min(answer.lifetimeSeconds, todays) }
}

/** The stored parts of a response. */
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
    lifetimeSeconds: Math.min(lifetimeSeconds, LONGEST_SECONDS),
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
