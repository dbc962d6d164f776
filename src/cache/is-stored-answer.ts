/** What a store gives back is checked before it is believed: what is not an answer of this cache is a miss. */
import { isRecord } from '../core/lib/guards.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { CacheRequest } from './cache-request.ts'

/** Longest lifetime, and longest window past it, that is stored and believed, seconds: stores keep an answer no longer. */
export const LONGEST_SECONDS = 31 * 86_400

const VERDICTS: ReadonlySet<unknown> = new Set(['pass', 'advise', 'refuse'])

/** @see RFC 9110, sections 5.1 and 5.5 */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/
// oxlint-disable-next-line no-control-regex -- what a field may not hold
const NO_VALUE = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/

/** Whether this is an answer to a question of this tenant and collection, in the form of this version, that can be sent. */
export function isStoredAnswer(value: unknown, { request }: Pick<CacheRequest, 'request'>): value is StoredAnswer {
  if (!isRecord(value)) return false
  const { schema, key, status, headers, body, sameAs, model, principalId, decision } = value
  return (
    schema === 2 &&
    typeof key === 'string' &&
    typeof body === 'string' &&
    typeof principalId === 'string' &&
    isAbsentOr('string', sameAs) &&
    isAbsentOr('string', model) &&
    isWithin(value['requestedAtMs'], 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(value['purgeEpoch'], 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(value['ageSeconds'], 0, Number.MAX_SAFE_INTEGER) &&
    isWithin(value['lifetimeSeconds'], 0, LONGEST_SECONDS) &&
    isWithin(value['staleIfErrorSeconds'] ?? 0, 0, LONGEST_SECONDS) &&
    Number.isInteger(status) &&
    isWithin(status, 200, 599) &&
    Array.isArray(headers) &&
    headers.every(isHeader) &&
    isRecord(decision) &&
    decision['tenant'] === request.principal.tenant &&
    decision['collection'] === request.collection &&
    isDecision(decision)
  )
}

function isHeader(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [name, text]: unknown[] = value
  return typeof name === 'string' && NAME.test(name) && typeof text === 'string' && !NO_VALUE.test(text)
}

function isDecision({ id, verdict, band, reason, policyId, confidence, ...lists }: Record<string, unknown>): boolean {
  return (
    VERDICTS.has(verdict) &&
    [id, band, reason, policyId].every((text) => typeof text === 'string') &&
    isWithin(confidence, 0, 1) &&
    Array.isArray(lists['findings']) &&
    areTexts(lists['documentIds']) &&
    areTexts(lists['evidenceIds'])
  )
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isAbsentOr(type: 'string', value: unknown): boolean {
  return value === undefined || typeof value === type
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most
}
