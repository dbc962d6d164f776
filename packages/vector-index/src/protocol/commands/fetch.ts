import { invalid } from '../../protocol-error.ts'
import { AnswerRoom } from '../answer-room.ts'
import { answeredRow, parseIncludes, type AnsweredRow, type Includes } from '../answered-row.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import * as field from '../fields.ts'
import type { CommandRequest } from './command.ts'

const PREFIX_LIMIT = 1000

/**
 * `fetch`: rows by id, in the order asked, with `null` for an unknown one; or rows by the beginning of their ids.
 *
 * @throws `ProtocolError` 422 when they do not fit in one answer
 */
export function fetchRows(index: EmbeddedIndex, { namespace, body }: CommandRequest): readonly (AnsweredRow | null)[] {
  const fields: field.Fields = Array.isArray(body) ? { ids: body } : field.object(body)
  const { ids, prefix } = fields
  if (field.isGiven(ids) && field.isGiven(prefix)) throw invalid('Only one of ids or prefix must be provided.')
  const includes = parseIncludes(fields)
  if (!field.isGiven(prefix)) return byIds(index, namespace, field.ids(ids), includes)
  const room = new AnswerRoom()
  const rows = index.store.range(namespace, 0, PREFIX_LIMIT, field.prefix(prefix))
  return Array.from(rows, (row) => room.take(answeredRow(index.settings, row, includes)))
}

function byIds(
  { settings, store }: EmbeddedIndex,
  namespace: string,
  ids: readonly string[],
  includes: Includes,
): readonly (AnsweredRow | null)[] {
  const read = new AnswerRoom()
  const found = new Map<string, AnsweredRow>()
  for (const row of store.found(namespace, ids)) found.set(row.id, read.take(answeredRow(settings, row, includes)))
  // An id may be asked for more than once, and is answered each time.
  const room = new AnswerRoom()
  return ids.map((id) => {
    const row = found.get(id)
    return row === undefined ? null : room.take(row)
  })
}
