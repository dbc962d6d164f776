/** Query parameters of the statistics; unknown and invalid ones are rejected by name. */
import type { Context } from 'hono'
import type { ConsoleContext } from './context.ts'
import type { Interval } from '../d1/statistics.ts'
import { type DecisionFilter, EVERY_TENANT } from '../d1/statistics/wanted.ts'
import { defined, type Tenant } from 'hono-rag-gate/core/lib'
import type { Principal } from 'hono-rag-gate/ports'
import { DAY_MS, HOUR_MS } from '../durations.ts'
import { ConsoleError, type ConsoleErrorCode } from '../errors.ts'
import { readInstant } from './read-instant.ts'
import { tenantFor } from './tenant-for.ts'

const MAX_FILTER_CHARACTERS = 200

/** Start and end of the requested period, Unix times in milliseconds. */
export interface Period {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The period from `from` to `to`; by default the last 24 hours, including the current one.
 *
 * @throws `range` if it is invalid, `range_too_large` if it is longer than `longestMs`
 */
export function readPeriod(c: ConsoleContext, longestMs: number, defaultMs = DAY_MS): Period {
  const toMs = readTime(c.req.query('to'), 'to') ?? c.var.ragGateConsole.clock.nowMs() + HOUR_MS
  const fromMs = readTime(c.req.query('from'), 'from') ?? Math.max(0, toMs - defaultMs)
  if (fromMs >= toMs) throw new ConsoleError('range', 'from must be before to', { param: 'from' })
  if (toMs - fromMs > longestMs) {
    throw new ConsoleError('range_too_large', `The period may have at most ${Math.floor(longestMs / DAY_MS)} days`, {
      param: 'from',
    })
  }
  return { fromMs, toMs }
}

/** `0`, or milliseconds from 1973 on: shorter numbers are seconds, dates without hyphens, or years. */
const MILLISECONDS = /^(?:0|\d{12,14})$/

function readTime(value: string | undefined, param: string): number | undefined {
  if (value === undefined) return undefined
  const time = MILLISECONDS.test(value) ? Number(value) : readInstant(value)
  if (time === undefined || time < 0) {
    throw new ConsoleError('range', `${param} must be ISO 8601 or milliseconds (not seconds) since 1970`, { param })
  }
  return time
}

/** Maximum periods with a series by the hour: by default, and on request. */
const HOURS_BY_DEFAULT_MS = 8 * DAY_MS
const LONGEST_BY_HOUR_MS = 31 * DAY_MS

/**
 * Interval of the series: an hour for periods up to eight days, else a day.
 *
 * @throws `interval`, or `range_too_large` for more than 31 days by the hour
 */
export function readInterval(c: Context, { fromMs, toMs }: Period): Interval {
  const asked = readOneOf(c, 'interval', ['hour', 'day'], 'interval')
  if (asked === undefined) return toMs - fromMs <= HOURS_BY_DEFAULT_MS ? 'hour' : 'day'
  if (asked === 'hour' && toMs - fromMs > LONGEST_BY_HOUR_MS) {
    throw new ConsoleError('range_too_large', 'At most 31 days can be shown by the hour', { param: 'interval' })
  }
  return asked
}

/** @throws `sort` for a value not in the list; the first one is the default */
export function readSort<Name extends string>(c: Context, allowed: readonly [Name, ...Name[]]): Name {
  return readOneOf(c, 'sort', allowed, 'sort') ?? allowed[0]
}

/** @throws `format` */
export function readFormat(c: Context): 'json' | 'csv' {
  return readOneOf(c, 'format', ['json', 'csv'], 'format') ?? 'json'
}

function readOneOf<Value extends string>(
  c: Context,
  name: string,
  allowed: readonly Value[],
  code: ConsoleErrorCode,
): Value | undefined {
  const asked = c.req.query(name)
  const known = allowed.find((value) => value === asked)
  if (asked === known) return known
  throw new ConsoleError(code, `${name} must be one of ${allowed.join(', ')}`, { param: name })
}

/** Names of the filter parameters. */
export const FILTER_NAMES = ['collection', 'policy', 'verdict', 'band', 'cache', 'reason', 'mode', 'outcome'] as const

const CHOICES = {
  verdict: ['pass', 'advise', 'refuse'],
  band: ['high', 'medium', 'low', 'very-low'],
  cache: ['cached', 'hit', 'evidence-hit', 'miss', 'bypass', 'stale'],
  mode: ['enforce', 'observe'],
  outcome: ['served', 'failed'],
  saved: ['refusal', 'cache'],
} as const

/** @throws `filter` naming the parameter that is unknown, empty or too long */
export function readFilter(c: Context): DecisionFilter {
  const [collection, policyId, reason] = (['collection', 'policy', 'reason'] as const).map((name) => {
    const value = c.req.query(name)
    if (value === undefined || (value !== '' && value.length <= MAX_FILTER_CHARACTERS)) return value
    throw new ConsoleError('filter', `${name} must have 1 to ${MAX_FILTER_CHARACTERS} characters`, { param: name })
  })
  return defined({
    collection,
    policyId,
    reason,
    verdict: choice(c, 'verdict'),
    band: choice(c, 'band'),
    cache: choice(c, 'cache'),
    mode: choice(c, 'mode'),
    outcome: choice(c, 'outcome'),
  })
}

/** @throws `filter` for an unknown value */
export function choice<Name extends keyof typeof CHOICES>(
  c: Context,
  name: Name,
): (typeof CHOICES)[Name][number] | undefined {
  return readOneOf<(typeof CHOICES)[Name][number]>(c, name, CHOICES[name], 'filter')
}

/** @throws `filter` unless it is a number from 0 to `most` */
export function readNumber(c: Context, name: string, otherwise: number, most: number): number {
  const asked = c.req.query(name)
  if (asked === undefined) return otherwise
  const value = /^(?:\d{1,9}|\d{0,9}\.\d{1,20})$/.test(asked) ? Number(asked) : Number.NaN
  if (!(value <= most)) throw new ConsoleError('filter', `${name} must be a number from 0 to ${most}`, { param: name })
  return value
}

/** The tenant of the request; see `tenantFor`. */
export function readTenant(c: ConsoleContext, principal: Principal): Tenant {
  return tenantFor(principal, c.req.query('tenant'), c.var.ragGateConsole.isOperator)
}

/** Like `readTenant`, but all tenants for `*`. */
export function readTenants(c: ConsoleContext, principal: Principal): Tenant | typeof EVERY_TENANT {
  if (c.req.query('tenant') === '*' && c.var.ragGateConsole.isOperator(principal)) return EVERY_TENANT
  return readTenant(c, principal)
}
