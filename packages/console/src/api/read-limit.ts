/** Maximum length of a list. */
import type { Context } from 'hono'
import { ConsoleError } from '../errors.ts'

const LARGEST_LIMIT = 1_000
/** Maximum number of rows of an exported table; larger ones must be requested in parts. */
export const MOST_ROWS = 10_000
/** Default limit of a table: all rows, plus one that shows that there are too many. */
export const WHOLE = MOST_ROWS + 1

/** @throws `limit` unless the parameter is whole and 1..1000 */
export function readLimit(c: Context, otherwise: number): number {
  const asked = c.req.query('limit')
  if (asked === undefined) return otherwise
  const limit = /^\d{1,4}$/.test(asked) ? Number(asked) : 0
  if (limit < 1 || limit > LARGEST_LIMIT) {
    throw new ConsoleError('limit', `limit must be a whole number from 1 to ${LARGEST_LIMIT}`, { param: 'limit' })
  }
  return limit
}
