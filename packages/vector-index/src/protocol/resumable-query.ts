/** Queries whose results come in batches. Each batch is searched anew, without the rows that were returned before. */
import { LIMITS } from '../limits.ts'
import { invalid } from '../protocol-error.ts'
import { AnswerRoom } from './answer-room.ts'
import type { AnsweredRow } from './answered-row.ts'
import type { Command, CommandRequest, EmbeddedIndex } from './embedded-index.ts'
import * as field from './fields.ts'
import { answerQuery, parseQuery, type QueryCommand } from './query.ts'
import type { ResumableQuery } from './resumable-queries.ts'

const DEFAULT_IDLE_SECONDS = 3600

/** `resumable-query`: begins with vectors. */
export const resumableQuery: Command = (index, { body }) => start(index, body, 'query')

/** `resumable-query-data`: begins with a text. */
export const resumableQueryData: Command = (index, { body }) => start(index, body, 'query-data')

/** `resumable-query-next`: the next rows of a query that was begun. */
export function resumableQueryNext(index: EmbeddedIndex, { body }: CommandRequest): readonly AnsweredRow[] {
  const fields = field.object(body)
  const uuid = uuidOf(fields)
  const topK = field.whole(fields['additionalK'], 'additionalK', { min: 1, max: LIMITS.topK })
  return nextBatch(index, uuid, index.resumable.resume(uuid), topK)
}

/** `resumable-query-end`: ends a query that was begun. */
export function resumableQueryEnd({ resumable }: EmbeddedIndex, { body }: CommandRequest): 'Success' {
  resumable.end(uuidOf(field.object(body)))
  return 'Success'
}

function start(
  index: EmbeddedIndex,
  body: unknown,
  command: QueryCommand,
): { readonly uuid: string; readonly scores: readonly AnsweredRow[] } {
  const fields = field.object(body)
  const { topK } = parseQuery(index.settings, fields, command)
  const seconds = { min: 1, max: LIMITS.maxIdleSeconds }
  const maxIdleMs = 1000 * field.whole(fields['maxIdle'], 'maxIdle', seconds, DEFAULT_IDLE_SECONDS)
  const query: ResumableQuery = { command, body: fields, maxIdleMs }
  const uuid = index.resumable.start(query)
  try {
    return { uuid, scores: nextBatch(index, uuid, query, topK) }
  } catch (thrown) {
    // A client that does not learn its name cannot end it.
    index.resumable.end(uuid)
    throw thrown
  }
}

function nextBatch(
  index: EmbeddedIndex,
  uuid: string,
  { command, body }: ResumableQuery,
  topK: number,
): readonly AnsweredRow[] {
  const query = { ...parseQuery(index.settings, field.object(body), command), topK }
  const without = index.resumable.returned(uuid)
  const rows = answerQuery(index, query, { candidates: 'topK', without, room: new AnswerRoom() })
  index.resumable.remember(
    uuid,
    rows.map(({ id }) => id),
  )
  return rows
}

function uuidOf(fields: field.Fields): string {
  const { uuid } = fields
  if (typeof uuid !== 'string' || uuid === '') throw invalid('uuid is required')
  return uuid
}
