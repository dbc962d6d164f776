import { answeredRow, parseIncludes, type AnsweredRow } from '../answered-row.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import type { CommandRequest } from './command.ts'

const PREFIX_LIMIT = 1000

/** `fetch`: rows by id, in the order asked, with `null` for an unknown one; or rows by the beginning of their ids. */
export function fetchRows(
  { settings, store }: EmbeddedIndex,
  { namespace, body }: CommandRequest,
): readonly (AnsweredRow | null)[] {
  const fields: field.Fields = Array.isArray(body) ? { ids: body } : field.object(body)
  const { ids, prefix } = fields
  if (field.isGiven(ids) && field.isGiven(prefix)) throw field.invalid('Only one of ids or prefix must be provided.')
  const includes = parseIncludes(fields)
  const rows = field.isGiven(prefix)
    ? store.range(namespace, 0, PREFIX_LIMIT, field.prefix(prefix))
    : store.fetch(namespace, field.ids(ids))
  return rows.map((row) => row && answeredRow(settings, row, includes))
}
