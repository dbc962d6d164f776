/** How the statistics are sent: JSON with names in snake case and times as ISO 8601, or CSV. */
import type { Context } from 'hono'
import { ConsoleError } from '../errors.ts'
import { MOST_ROWS } from './read-limit.ts'

/** Version of what `/v1/stats` and its neighbours answer; it rises when a field changes its meaning or goes. */
export const VERSION = 1

/** Answers may not be stored. */
export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'authorization' }

/** Members that are moments, not lengths of time. */
const MOMENT = /^(from|to|start|at|last|first|week|opened|closed|requested|finished|expires)Ms$/

/** Names of members that are moments. */
type MomentName =
  `${'from' | 'to' | 'start' | 'at' | 'last' | 'first' | 'week' | 'opened' | 'closed' | 'requested' | 'finished' | 'expires'}Ms`
/** `fooBar` as `foo_bar`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name
type WireName<Name extends string> = Name extends MomentName
  ? Name extends `${infer Moment}Ms`
    ? SnakeCase<Moment>
    : never
  : SnakeCase<Name>

/** The form in which a value is sent: names in snake case, moments as ISO 8601. */
export type OnTheWire<Value> = Value extends readonly (infer Each)[]
  ? readonly OnTheWire<Each>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value & string as WireName<Name>]: Name extends MomentName
          ? string | Extract<Value[Name], null | undefined>
          : OnTheWire<Value[Name]>
      }
    : Value

/** A value with its own names in snake case. Keys that are data (reason codes, bands) have no capitals and stay. */
export function onTheWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(onTheWire)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) =>
      MOMENT.test(name)
        ? [snakeCase(name.slice(0, -2)), typeof member === 'number' ? new Date(member).toISOString() : member]
        : [snakeCase(name), onTheWire(member)],
    ),
  )
}

/** A name as it is sent. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Answers with JSON that may not be stored. */
export function json(c: Context, body: Readonly<Record<string, unknown>>, status: 200 | 201 | 202 = 200): Response {
  return c.json({ version: VERSION, ...body }, status, NO_STORE)
}

/**
 * Answers with a table to be saved under a name. The names of the first row are those of the columns.
 *
 * @throws `range_too_large` for more than 10,000 rows: a part of them would look like all
 */
export function csv(
  c: Context,
  name: string,
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  if (rows.length > MOST_ROWS) {
    throw new ConsoleError(
      'range_too_large',
      `There are more than ${MOST_ROWS} rows: name a limit or a shorter period`,
      { param: 'from' },
    )
  }
  return c.body(csvText(columns, rows), 200, {
    ...NO_STORE,
    ...headers,
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${name}.csv"`,
  })
}

/** Rows under the names of their columns. @see RFC 4180 */
export function csvText(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))]
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

/** Texts that a spreadsheet would take for a formula. */
const FORMULA = /^ *[=+\-@\t\r\n＝＋－＠]/
/** Where one begins for a spreadsheet that separates cells by semicolons or tabs, as in half of Europe: it minds no quotes. */
const BEHIND_SEPARATOR = /([;\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/g

/**
 * One cell, as in RFC 4180. A text that a spreadsheet would carry out begins with an apostrophe, also behind what may be a
 * separator to it; numbers stay numbers.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  // Many readers of CSV give up at a NUL, others leave it out, with a formula behind it.
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '\ufffd')
  const inert = text.replaceAll(BEHIND_SEPARATOR, "$1'")
  const safe = FORMULA.test(text) ? `'${inert}` : inert
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
