/** How many a list may name. */
import type { Context } from 'hono'
import { ConsoleError } from '../errors.ts'

const LARGEST_LIMIT = 1_000
/** Rows of a table to be saved, at most: whatever has more is asked for in parts. */
export const MOST_ROWS = 10_000
/** Where a request for a table names no limit: all that there is, and one more tells that it is too much. */
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
