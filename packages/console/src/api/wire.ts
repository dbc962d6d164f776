/** Wire format of the statistics: JSON with snake-case names and ISO 8601 times, or CSV. */
import type { Context } from 'hono'
import { ConsoleError } from '../errors.ts'
import { MOST_ROWS } from './read-limit.ts'

/** Version of the `/v1/stats` routes' responses; increases if a field is removed or changes its meaning. */
export const VERSION = 1

/** Responses must not be cached. */
export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', vary: 'authorization' }

/** Members that are points in time rather than durations. */
const MOMENT = /^(from|to|start|at|last|first|week|opened|closed|requested|finished|expires)Ms$/

/** Names of these members. */
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

/** Wire form of a value: names in snake case, times as ISO 8601. */
export type OnTheWire<Value> = Value extends readonly (infer Each)[]
  ? readonly OnTheWire<Each>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value & string as WireName<Name>]: Name extends MomentName
          ? string | Extract<Value[Name], null | undefined>
          : OnTheWire<Value[Name]>
      }
    : Value

/** Members whose keys are reason codes or names of gates. */
const KEYED_BY_DATA = /^(byReason|answerGates)$/

/** Converts member names to snake case. Keys that are data are unchanged. */
export function onTheWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(onTheWire)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) =>
      MOMENT.test(name)
        ? [snakeCase(name.slice(0, -2)), typeof member === 'number' ? new Date(member).toISOString() : member]
        : [snakeCase(name), KEYED_BY_DATA.test(name) ? member : onTheWire(member)],
    ),
  )
}

/** Converts a name to snake case. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Responds with JSON that must not be cached. */
export function json(c: Context, body: Readonly<Record<string, unknown>>, status: 200 | 201 | 202 = 200): Response {
  return c.json({ version: VERSION, ...body }, status, NO_STORE)
}

/**
 * Responds with a CSV file.
 *
 * @throws `range_too_large` for more than 10,000 rows, rather than truncating the table
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

/** Formats rows under their column names. @see RFC 4180 */
export function csvText(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))]
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

/** Texts that a spreadsheet would treat as a formula. */
const FORMULA = /^ *[=+\-@\t\r\n＝＋－＠]/
/** The same after a semicolon or tab, which many European spreadsheets use as separator, even within quotes. */
const BEHIND_SEPARATOR = /([;\t\r\n][ "]*)(?=[=+\-@＝＋－＠])/g

/**
 * A cell as in RFC 4180. A text that a spreadsheet would execute gets an apostrophe in front, also after a possible
 * separator; numbers are unchanged.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  // Many CSV readers fail at a NUL; others drop it, which may expose a formula behind it.
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('\0', '\ufffd')
  const inert = text.replaceAll(BEHIND_SEPARATOR, "$1'")
  const safe = FORMULA.test(text) ? `'${inert}` : inert
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
