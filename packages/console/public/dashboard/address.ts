/** What the address says: the view, which decisions are meant, and what the view adds. All of it can be shared. */

import { el, number } from './dom.ts'

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** Periods that end now, by their names in the address. */
export const PERIODS: Readonly<Record<string, { readonly name: string; readonly ms: number }>> = {
  '24h': { name: '24 hours', ms: DAY_MS },
  '7d': { name: '7 days', ms: 7 * DAY_MS },
  '31d': { name: '31 days', ms: 31 * DAY_MS },
  '12m': { name: '12 months', ms: 365 * DAY_MS },
}
export const DEFAULT_PERIOD = '24h'
/** Stands for all tenants in the address and in the API. */
export const ALL_TENANTS = '*'

/** What stays the same from view to view. */
const SHARED = ['period', 'from', 'to', 'tenant', 'collection', 'policy'] as const

/** An address, read. */
export interface Place {
  /** Empty where the address names none. */
  readonly view: string
  readonly id: string | undefined
  readonly query: Readonly<Record<string, string>>
}

/** Reads `#/decisions?verdict=refuse&period=7d` or `#/decisions/{id}`. */
export function place(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/')
  return {
    view,
    id: rest.length === 0 ? undefined : decoded(rest.join('/')),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** The text that an address spells; the address itself where it spells none. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The address of a view about the same decisions, with these members changed; an empty text takes one away. */
export function linkTo(view: string, changes: Readonly<Record<string, string>> = {}, id?: string): string {
  return written(view, sharedOf(place().query), changes, id)
}

/** A figure that leads to its decisions; where there are none it leads nowhere. */
export function toDecisions(
  count: number,
  changes: Readonly<Record<string, string>>,
  shown = number(count),
): HTMLElement | string {
  return count === 0 ? shown : el('a', { href: linkTo('decisions', changes) }, shown)
}

/** The present address with these members changed. */
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

/** First moment and first moment after a period, ISO 8601. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** The period of the address: from one moment to another, or one that ends with the present hour. */
export function periodOf({ period, from, to }: Place['query']): Period {
  if (from !== undefined && to !== undefined) return { from, to }
  const { ms } = PERIODS[period ?? DEFAULT_PERIOD] ?? PERIODS[DEFAULT_PERIOD]!
  const toMs = Math.ceil((Date.now() + 1) / HOUR_MS) * HOUR_MS
  return { from: new Date(toMs - ms).toISOString(), to: new Date(toMs).toISOString() }
}

/** The period of the same length that ends where this one begins. */
export function before({ from, to }: Period): Period {
  const lengthMs = Date.parse(to) - Date.parse(from)
  return { from: new Date(Date.parse(from) - lengthMs).toISOString(), to: from }
}

/** Length of a period, milliseconds. */
export const lengthMs = ({ from, to }: Period): number => Date.parse(to) - Date.parse(from)
