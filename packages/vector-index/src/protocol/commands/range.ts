import { LIMITS } from '../../limits.ts'
import { AnswerRoom } from '../answer-room.ts'
import { answeredRow, parseIncludes, type AnsweredRow } from '../answered-row.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import type { CommandRequest } from './command.ts'

/**
 * `range`: a page in insertion order, of 1,000 rows unless told otherwise, and shorter where the answer is full; the cursor
 * is the place of the last row, so that what is deleted or written meanwhile makes no row come twice or not at all.
 */
export function range(
  { settings, store }: EmbeddedIndex,
  { namespace, body }: CommandRequest,
): { readonly nextCursor: string; readonly vectors: readonly AnsweredRow[] } {
  const fields = field.object(body ?? {})
  const after = field.cursor(fields['cursor'])
  const limit = field.whole(fields['limit'], 'limit', { min: 1, max: LIMITS.itemsPerCommand }, LIMITS.itemsPerCommand)
  const prefix = field.prefix(fields['prefix'] ?? '')
  const includes = parseIncludes(fields)
  const room = new AnswerRoom()
  const vectors: AnsweredRow[] = []
  let last = after
  // One row more tells whether there is a next page, so that no page comes empty. One row always fits.
  for (const stored of store.range(namespace, after, limit + 1, prefix)) {
    const row = answeredRow(settings, stored, includes)
    if (vectors.length === limit || !room.has(row)) return { nextCursor: String(last), vectors }
    vectors.push(room.take(row))
    last = stored.position
  }
  return { nextCursor: '', vectors }
}
