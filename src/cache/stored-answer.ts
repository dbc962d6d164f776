/** Reads stored answers: checks purges, age, and whether they may be sent. */
import { scopesOfAnswer } from '../core/policy/purge-scope.ts'
import { errorKind, isRagGateError } from '../errors.ts'
import type { AgedAnswer, Failure, FoundAnswer } from '../pipeline/gate-cache.ts'
import { inTime, storeFaults } from '../pipeline/within-deadline.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { KnownPurges } from '../ports/answer-purges.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { isStoredAnswer } from './is-stored-answer.ts'

const NO_PURGES: KnownPurges = { epoch: 0, purgedSince: () => false }

const PURGE_FAULTS = storeFaults('The list of purges')

/**
 * Reads the purges against which stored answers are checked.
 *
 * @returns `undefined` when they cannot be read; then the cache is not used, as it might return purged answers
 */
export function knownPurges(
  { settings: { purges }, route: { retrieval }, ports: { onWarning } }: CacheParts,
  tenant: string,
): KnownPurges | Promise<KnownPurges | undefined> {
  if (purges === undefined) return NO_PURGES
  return inTime(retrieval.timeoutMs, PURGE_FAULTS, () => purges.known(tenant)).catch((cause: unknown) => {
    const message = `Purges could not be read (${errorKind(cause)}): the answer cache is not used`
    onWarning({ code: 'purges_unreadable', message, cause })
    return undefined
  })
}

/** Deadline of a store, milliseconds; adapters have shorter deadlines of their own. */
const CACHE_TIMEOUT_MS = 1000
export const CACHE_FAULTS = storeFaults('The answer cache')

/**
 * Looks up an answer by key. If the store fails or hangs, nothing is found, and `onWarning` is called; nor are purged answers.
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
    ports.onWarning({ code: 'store_unavailable', message: 'The answer cache is not used', cause })
    return null
  }
}

/** Checks an answer found under a key, and computes its age; `null` if it is invalid, belongs to another key, or was purged. */
export function checkStored(
  { clock }: CacheParts['ports'],
  asked: CacheRequest,
  purges: KnownPurges,
  answer: StoredAnswer | null,
  key: string,
): AgedAnswer | null {
  if (!isStoredAnswer(answer, asked) || answer.key !== key || isPurged(answer, asked, purges)) return null
  const residentSeconds = Math.floor((clock.nowMs() - answer.requestedAtMs) / 1000)
  // An answer from the future means that a clock was set back, so its age is unknown.
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

/** Whether an answer is fresh, young enough for this caller, and permitted for `only-if-cached`. */
export function isSendable(
  stored: AgedAnswer | null,
  { use, request: { principal } }: CacheRequest,
): stored is AgedAnswer {
  if (stored?.fresh !== true) return false
  const { maxAgeSeconds = Infinity, only } = use
  return stored.ageSeconds <= maxAgeSeconds && (only !== 'own' || stored.answer.principalId === principal.id)
}

/**
 * Whether an expired answer may be sent after a failure: within the windows of the route and of the answer. Its key contains
 * corpus version and policy, so it is for the same documents and rules.
 *
 * @see RFC 5861, section 4
 */
export function mayStandIn(stored: AgedAnswer | undefined, windowSeconds: number): stored is AgedAnswer {
  if (stored === undefined) return false
  const { answer, residentSeconds } = stored
  const seconds = Math.min(windowSeconds, answer.staleIfErrorSeconds ?? 0)
  return seconds > 0 && residentSeconds >= 0 && residentSeconds < answer.lifetimeSeconds + seconds
}

/** Statuses of a failed handler. @see RFC 5861, section 4 */
const FAULTS: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** Whether an older answer may be sent after this failure: of the retriever's own errors, not of wrong settings. */
export function isOutage(failure: Failure): boolean {
  if (failure.by === 'handler') return FAULTS.has(failure.status)
  return isRagGateError(failure.thrown) && failure.thrown.code.startsWith('retriever_')
}

/** Converts a stored answer into one to send. */
export function foundAs(kind: FoundAnswer['kind'], { answer, ageSeconds, residentSeconds }: AgedAnswer): FoundAnswer {
  return { kind, answer, ageSeconds, ttlSeconds: answer.lifetimeSeconds - residentSeconds }
}
