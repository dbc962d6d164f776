import { answeredRow, parseIncludes, type AnsweredRow } from '../answered-row.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import type { CommandRequest } from './command.ts'

/** `range`: a page in insertion order; the cursor is the number of rows before it. */
export function range(
  { settings, store }: EmbeddedIndex,
  { namespace, body }: CommandRequest,
): { readonly nextCursor: string; readonly vectors: readonly AnsweredRow[] } {
  const fields = field.object(body)
  const offset = field.cursor(fields['cursor'])
  const limit = field.whole(fields['limit'], 'limit', { min: 1, max: field.LIMITS.itemsPerCommand })
  const prefix = field.prefix(fields['prefix'] ?? '')
  const includes = parseIncludes(fields)
  // One row more tells whether there is a next page, so that no page comes empty.
  const rows = store.range(namespace, offset, limit + 1, prefix)
  return {
    nextCursor: rows.length > limit ? String(offset + limit) : '',
    vectors: rows.slice(0, limit).map((row) => answeredRow(settings, row, includes)),
  }
}
