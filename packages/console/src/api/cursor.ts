/** Where a list of decisions goes on, as a text for the address. */
import type { Position } from '../d1/recorded-decisions.ts'
import { hex, lengthPrefixed, sha256 } from 'hono-rag-gate/core/lib'
import { ConsoleError } from '../errors.ts'

const CHECK_LENGTH = 16

/**
 * @param bound what the list was asked for: the cursor counts for that alone. It guards against mistakes, not against
 *   anyone: a position within one's own decisions is no secret
 */
export function cursorOf({ atMs, id }: Position, bound: readonly string[]): string {
  return `${atMs.toString(36)}.${id}.${check(`${atMs}`, id, bound)}`
}

/** @throws `cursor` when it was changed, or made for another list */
export function readCursor(cursor: string | undefined, bound: readonly string[]): Position | undefined {
  if (cursor === undefined) return undefined
  const [, time = '', id = '', found] = /^([0-9a-z]{1,11})\.(.{1,200})\.([0-9a-f]{16})$/.exec(cursor) ?? []
  const atMs = Number.parseInt(time, 36)
  if (found === undefined || found !== check(`${atMs}`, id, bound)) {
    throw new ConsoleError('cursor', 'The cursor does not belong to this list: begin without one', { param: 'cursor' })
  }
  return { atMs, id }
}

function check(time: string, id: string, bound: readonly string[]): string {
  return hex(sha256(lengthPrefixed(['decisions', time, id, ...bound]))).slice(0, CHECK_LENGTH)
}
