/** Looking for a stored answer: is there one, was it purged, how old is it, and may it still be sent. */
import { scopesOfAnswer } from '../core/policy/purge-scope.ts'
import { errorKind, isRagGateError, type RagGateErrorCode } from '../errors.ts'
import type { AgedAnswer, Failure, FoundAnswer } from '../pipeline/gate-cache.ts'
import { inTime, storeFaults } from '../pipeline/within-deadline.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { KnownPurges } from '../ports/answer-purges.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { isStoredAnswer } from './is-stored-answer.ts'

const NO_PURGES: KnownPurges = { epoch: 0, purgedSince: () => false }

const PURGE_FAULTS = storeFaults('The list of purges')

/**
 * The purges to hold stored answers against.
 *
 * @returns `undefined` when they cannot be read: the cache then takes no part, because it might hold what was purged
 */
export function knownPurges(
  { settings: { purges }, route: { retrieval }, ports: { onWarning } }: CacheParts,
  tenant: string,
): KnownPurges | Promise<KnownPurges | undefined> {
  if (purges === undefined) return NO_PURGES
  return inTime(retrieval.timeoutMs, PURGE_FAULTS, () => purges.known(tenant)).catch((cause: unknown) => {
    const message = `Purges could not be read (${errorKind(cause)}): the answer cache is passed over`
    onWarning({ code: 'purges_unreadable', message, cause })
    return undefined
  })
}

/** A store of answers that is slower than this, in milliseconds, is passed over: adapters have shorter deadlines of their own. */
const CACHE_TIMEOUT_MS = 1000
export const CACHE_FAULTS = storeFaults('The answer cache')

/**
 * Looks for an answer under a key; where none may be sent, there is none. A store that fails or hangs holds nothing, and
 * `onWarning` is told: the question is then judged like any other. What was purged is not there.
 */
export async function findStored(
  { settings: { store }, ports }: CacheParts,
  asked: CacheRequest,
  purges: KnownPurges,
  key: string,
): Promise<AgedAnswer | null> {
  if (!asked.use.read) return null
  const isUsable = (answer: StoredAnswer): boolean => isSendable(checkStored(ports, asked, purges, answer, key), asked)
  try {
    const found = await inTime(CACHE_TIMEOUT_MS, CACHE_FAULTS, () => store.get(key, isUsable))
    return checkStored(ports, asked, purges, found, key)
  } catch (cause) {
    ports.onWarning({ code: 'store_unavailable', message: 'The answer cache is passed over', cause })
    return null
  }
}

/** How old an answer is that was found under a key; `null` where it is none, belongs under another, or was purged. */
export function checkStored(
  { clock }: CacheParts['ports'],
  asked: CacheRequest,
  purges: KnownPurges,
  answer: StoredAnswer | null,
  key: string,
): AgedAnswer | null {
  if (!isStoredAnswer(answer, asked) || answer.key !== key || isPurged(answer, asked, purges)) return null
  const residentSeconds = Math.floor((clock.nowMs() - answer.requestedAtMs) / 1000)
  // An answer from the future tells of a clock that was set back: its age is unknown.
  const fresh = residentSeconds >= 0 && residentSeconds < answer.lifetimeSeconds
  return { answer, residentSeconds, ageSeconds: answer.ageSeconds + residentSeconds, fresh }
}

function isPurged(
  { purgeEpoch, decision }: StoredAnswer,
  { request: { question } }: CacheRequest,
  { epoch, purgedSince }: KnownPurges,
): boolean {
  if (epoch <= purgeEpoch) return false
  const { tenant, collection } = decision
  return purgedSince(purgeEpoch, [...scopesOfAnswer(decision), { kind: 'question', tenant, collection, question }])
}

/** Whether an answer is fresh, young enough for this caller, and his to be had on demand. */
export function isSendable(
  stored: AgedAnswer | null,
  { use, request: { principal } }: CacheRequest,
): stored is AgedAnswer {
  if (stored?.fresh !== true) return false
  const { maxAgeSeconds = Infinity, only } = use
  return stored.ageSeconds <= maxAgeSeconds && (only !== 'own' || stored.answer.principalId === principal.id)
}

/**
 * Whether an answer past its lifetime may stand in for one that cannot be made: within the window of the route, and that of
 * the answer. The key names the corpus version and the policy, so it was given over the same documents by the same rules.
 *
 * @see RFC 5861, section 4
 */
export function mayStandIn(stored: AgedAnswer | undefined, windowSeconds: number): stored is AgedAnswer {
  if (stored === undefined) return false
  const { answer, residentSeconds } = stored
  const seconds = Math.min(windowSeconds, answer.staleIfErrorSeconds ?? 0)
  return seconds > 0 && residentSeconds >= 0 && residentSeconds < answer.lifetimeSeconds + seconds
}

/** What a retriever does that is down. What it cannot search at all, it could not search before either. */
const OUTAGES: readonly RagGateErrorCode[] = [
  'retriever_timeout',
  'retriever_unavailable',
  'retriever_misconfigured',
  'retriever_bad_response',
]

/** Statuses of a handler that has no answer. @see RFC 5861, section 4 */
const FAULTS: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** Whether a failure is one that an older answer may stand in for. */
export function isOutage(failure: Failure): boolean {
  if (failure.by === 'handler') return FAULTS.has(failure.status)
  return isRagGateError(failure.thrown) && OUTAGES.includes(failure.thrown.code)
}

/** A stored answer as one that may be sent. */
export function foundAs(kind: FoundAnswer['kind'], { answer, ageSeconds, residentSeconds }: AgedAnswer): FoundAnswer {
  return { kind, answer, ageSeconds, ttlSeconds: answer.lifetimeSeconds - residentSeconds }
}
