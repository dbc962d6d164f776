/** The state in the URL: the view, the selection of decisions, and the view's parameters. It can be shared. */

import { el, number } from './dom.ts'

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** The API's statistics of longer periods are by day. */
const LONGEST_BY_HOUR_MS = 8 * DAY_MS

/** Periods that end now, by their names in the URL. */
export const PERIODS: Readonly<Record<string, { readonly name: string; readonly ms: number }>> = {
  '24h': { name: '24 hours', ms: DAY_MS },
  '7d': { name: '7 days', ms: 7 * DAY_MS },
  '31d': { name: '31 days', ms: 31 * DAY_MS },
  '12m': { name: '12 months', ms: 365 * DAY_MS },
}
const DEFAULT_PERIOD = '24h'
/** Stands for all tenants in the URL and in the API. */
export const ALL_TENANTS = '*'

/** Parameters that all views share. */
const SHARED = ['period', 'from', 'to', 'tenant', 'collection', 'policy'] as const

/** A parsed URL fragment. */
export interface Place {
  /** Empty if the URL names none. */
  readonly view: string
  readonly id: string | undefined
  readonly query: Readonly<Record<string, string>>
}

/** Parses `#/decisions?verdict=refuse&period=7d` or `#/decisions/{id}`. */
export function place(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/')
  return {
    view,
    id: rest.length === 0 ? undefined : decoded(rest.join('/')),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** Decodes a URL component; unchanged if it is invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The URL of a view with the same selection, with these parameters changed; an empty value removes one. */
export function linkTo(view: string, changes: Readonly<Record<string, string>> = {}, id?: string): string {
  return written(view, sharedOf(place().query), changes, id)
}

/** A count that links to its decisions; no link for zero. */
export function toDecisions(
  count: number,
  changes: Readonly<Record<string, string>>,
  shown = number(count),
): HTMLElement | string {
  return count === 0 ? shown : el('a', { href: linkTo('decisions', changes) }, shown)
}

/** The current URL with these parameters changed. */
export function changed(changes: Readonly<Record<string, string>>): string {
  const { view, query, id } = place()
  return written(view, query, changes, id)
}

function sharedOf(query: Place['query']): Record<string, string> {
  return Object.fromEntries(SHARED.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])))
}

function written(view: string, kept: Place['query'], changes: Place['query'], id: string | undefined): string {
  const query = new URLSearchParams(Object.entries({ ...kept, ...changes }).filter(([, value]) => value !== ''))
  const path = id === undefined ? view : `${view}/${encodeURIComponent(id)}`
  return `#/${path}${query.size > 0 ? `?${query}` : ''}`
}

/** Start and exclusive end of a period, ISO 8601. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** The name in the URL of one of the periods that end now. */
export function periodName({ period = '' }: Place['query']): string {
  return Object.hasOwn(PERIODS, period) ? period : DEFAULT_PERIOD
}

/**
 * The period in the URL: from one time to another, or one that ends with the current hour; with the current day in UTC
 * if its statistics are by day.
 */
export function periodOf(query: Place['query']): Period {
  const { from, to } = query
  if (from !== undefined && to !== undefined) return { from, to }
  const { ms } = PERIODS[periodName(query)]!
  const spanMs = ms > LONGEST_BY_HOUR_MS ? DAY_MS : HOUR_MS
  const toMs = Math.ceil((Date.now() + 1) / spanMs) * spanMs
  return { from: new Date(toMs - ms).toISOString(), to: new Date(toMs).toISOString() }
}

/** The whole days in UTC of a period, the last of them if there are more than `most`. */
export function wholeDays({ from, to }: Period, most: number): Period {
  const end = Math.ceil(Date.parse(to) / DAY_MS)
  const first = Math.max(Math.floor(Date.parse(from) / DAY_MS), end - most)
  // The API describes what is wrong with times that it cannot read.
  if (Number.isNaN(first)) return { from, to }
  return { from: new Date(first * DAY_MS).toISOString(), to: new Date(end * DAY_MS).toISOString() }
}

/** The preceding period of the same length. */
export function before({ from, to }: Period): Period {
  const startMs = 2 * Date.parse(from) - Date.parse(to)
  // As above.
  return Number.isNaN(startMs) ? { from, to } : { from: new Date(startMs).toISOString(), to: from }
}
