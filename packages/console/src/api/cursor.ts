/** Cursors of decision lists, for use in URLs. */
import type { Position } from '../d1/recorded-decisions.ts'
import { hex, lengthPrefixed, sha256 } from 'hono-rag-gate/core/lib'
import { ConsoleError } from '../errors.ts'

const CHECK_LENGTH = 16

/**
 * @param bound parameters of the list, the only one that the cursor is valid for. This guards against mistakes only:
 *   positions within one's own decisions are no secret
 */
export function cursorOf(place: Position, bound: readonly string[]): string {
  return `${place.toString(36)}.${check(place, bound)}`
}

/** @throws `cursor` if it was changed, or belongs to another list */
export function readCursor(cursor: string | undefined, bound: readonly string[]): Position | undefined {
  if (cursor === undefined) return undefined
  const [, text = '', found] = /^([0-9a-z]{1,11})\.([0-9a-f]{16})$/.exec(cursor) ?? []
  const place = Number.parseInt(text, 36)
  if (found !== check(place, bound)) {
    throw new ConsoleError('cursor', 'The cursor does not belong to this list: begin without one', { param: 'cursor' })
  }
  return place
}

function check(place: Position, bound: readonly string[]): string {
  return hex(sha256(lengthPrefixed(['decisions', `${place}`, ...bound]))).slice(0, CHECK_LENGTH)
}
