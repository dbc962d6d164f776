/** What a store gives back is checked before it is believed: what is not an answer of this cache is a miss. */
import { isRecord } from '../core/lib/guards.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { CacheRequest } from './cache-request.ts'
import { isKept } from './stored-headers.ts'

/** Longest lifetime, and longest window past it, that is stored and believed, seconds: stores keep an answer no longer. */
export const LONGEST_SECONDS = 31 * 86_400

const VERDICTS: ReadonlySet<unknown> = new Set(['pass', 'advise', 'refuse'])
const BANDS: ReadonlySet<unknown> = new Set(['high', 'medium', 'low', 'very-low'])
/** Of these there is no body, and no answer. */
const EMPTY: ReadonlySet<unknown> = new Set([204, 205, 304])

/** @see RFC 9110, sections 5.1 and 5.5 */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/
// oxlint-disable-next-line no-control-regex -- what a field may not hold
const NO_VALUE = /[\0-\x08\x0a-\x1f\x7f]|[^\0-\xff]/
const NO_PARAMETER = new RegExp(`${NO_VALUE.source}|^$|[";\\\\]`)

/** Ranges of the numbers. */
const NUMBERS = {
  requestedAtMs: [0, Infinity],
  purgeEpoch: [0, Infinity],
  ageSeconds: [0, Infinity],
  lifetimeSeconds: [0, LONGEST_SECONDS],
  staleIfErrorSeconds: [0, LONGEST_SECONDS],
  status: [200, 599],
} as const

/** Frozen answers that were checked, so that one in memory is checked only once. */
const CHECKED = new WeakSet()

/** Whether this is a valid stored answer in the current format, for the request's tenant and collection. */
export function isStoredAnswer(value: unknown, { request }: Pick<CacheRequest, 'request'>): value is StoredAnswer {
  if (!isRecord(value)) return false
  const { decision, headers } = value
  if (!isRecord(decision)) return false
  if (decision['tenant'] !== request.principal.tenant || decision['collection'] !== request.collection) return false
  if (CHECKED.has(value)) return true
  if (!isWellFormed(value, decision)) return false
  const parts = [value, decision, headers, decision['documentIds'], decision['evidenceIds']]
  if (parts.every(Object.isFrozen)) CHECKED.add(value)
  return true
}

function isWellFormed(value: Readonly<Record<string, unknown>>, decision: Readonly<Record<string, unknown>>): boolean {
  const { headers } = value
  const given: Record<string, unknown> = { staleIfErrorSeconds: 0, ...value }
  return (
    value['schema'] === 2 &&
    areTexts([value['key'], value['body'], value['principalId'], value['sameAs'] ?? '', value['model'] ?? '']) &&
    Object.entries(NUMBERS).every(([name, [least, most]]) => isWithin(given[name], least, most)) &&
    Number.isInteger(value['status']) &&
    !EMPTY.has(value['status']) &&
    Array.isArray(headers) &&
    headers.every((header) => isHeader(header) && isKept(value['status'], ...header)) &&
    VERDICTS.has(decision['verdict']) &&
    BANDS.has(decision['band']) &&
    [decision['id'], decision['reason'], decision['policyId']].every((sent) => isFieldValue(sent, NO_PARAMETER)) &&
    isWithin(decision['confidence'], 0, 1) &&
    isRecord(decision['signals']) &&
    Array.isArray(decision['findings']) &&
    decision['findings'].every(isRecord) &&
    areTexts(decision['documentIds']) &&
    areTexts(decision['evidenceIds'])
  )
}

function isHeader(value: unknown): value is [string, string] {
  return areTexts(value) && value.length === 2 && NAME.test(value[0]!) && isFieldValue(value[1])
}

function isFieldValue(value: unknown, barred = NO_VALUE): boolean {
  return typeof value === 'string' && !barred.test(value)
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most && value < Infinity
}
