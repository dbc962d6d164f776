/**
 * Queries with results in batches. They are stored, so that they survive eviction of the object; each batch is a new
 * search without the rows returned before.
 */
import { jsonText, parseJson } from '../exact-json.ts'
import { LIMITS } from '../limits.ts'
import { invalid, ProtocolError } from '../protocol-error.ts'
import { AnswerRoom } from './answer-room.ts'
import type { AnsweredRow } from './answered-row.ts'
import type { Command, CommandRequest, EmbeddedIndex } from './embedded-index.ts'
import * as field from './fields.ts'
import { answerQuery, parseQuery, type QueryCommand } from './query.ts'

const DEFAULT_IDLE_SECONDS = 3600

/** A query as it was sent. */
type Asked = { readonly command: QueryCommand; readonly body: string }

/** `resumable-query`: starts with vectors. */
export const resumableQuery: Command = (index, { body }) => start(index, body, 'query')

/** `resumable-query-data`: starts with a text. */
export const resumableQueryData: Command = (index, { body }) => start(index, body, 'query-data')

/** `resumable-query-next`: the next batch of a started query. Resets its idle time. */
export function resumableQueryNext(index: EmbeddedIndex, { body }: CommandRequest): readonly AnsweredRow[] {
  const { sql, platform } = index
  const fields = field.object(body)
  const uuid = uuidIn(fields)
  const topK = field.whole(fields['additionalK'], 'additionalK', { min: 1, max: LIMITS.topK })
  expire(index)
  const query = 'UPDATE resumable_queries SET expires_ms = ? + max_idle_ms WHERE uuid = ? RETURNING command, body'
  const [asked] = sql.exec<Asked>(query, platform.nowMs(), uuid).toArray()
  if (asked === undefined) throw queryEnded(uuid)
  return nextBatch(index, uuid, asked, topK)
}

/** `resumable-query-end`: ends a started query. */
export function resumableQueryEnd(index: EmbeddedIndex, { body }: CommandRequest): 'Success' {
  const uuid = uuidIn(field.object(body))
  expire(index)
  if (!end(index, uuid)) throw queryEnded(uuid)
  return 'Success'
}

function start(
  index: EmbeddedIndex,
  body: unknown,
  command: QueryCommand,
): { readonly uuid: string; readonly scores: readonly AnsweredRow[] } {
  const { sql, platform } = index
  const fields = field.object(body)
  const { topK } = parseQuery(index.settings, fields, command)
  const seconds = { min: 1, max: LIMITS.maxIdleSeconds }
  const maxIdleMs = 1000 * field.whole(fields['maxIdle'], 'maxIdle', seconds, DEFAULT_IDLE_SECONDS)
  expire(index)
  const [counted] = sql.exec<{ active: number }>('SELECT count(*) AS active FROM resumable_queries').toArray()
  if (counted!.active >= LIMITS.resumableQueries) {
    throw invalid(`At most ${LIMITS.resumableQueries} resumable queries can be active`)
  }
  const problem = field.problemWithin(fields, LIMITS.metadataDepth)
  if (problem !== undefined) throw invalid(`A resumable query ${problem}`)
  const text = jsonText(fields)
  if (field.isLonger(text, LIMITS.resumableBytes)) {
    throw invalid(`A resumable query is longer than ${LIMITS.resumableBytes} bytes`)
  }
  const uuid = platform.randomUuid()
  const values = [uuid, command, text, maxIdleMs, platform.nowMs() + maxIdleMs]
  sql.exec('INSERT INTO resumable_queries VALUES (?, ?, ?, ?, ?)', ...values)
  try {
    return { uuid, scores: nextBatch(index, uuid, { command, body: text }, topK) }
  } catch (thrown) {
    // Without a response the client does not know its name, and cannot end it.
    end(index, uuid)
    throw thrown
  }
}

function nextBatch(index: EmbeddedIndex, uuid: string, { command, body }: Asked, topK: number): readonly AnsweredRow[] {
  const query = { ...parseQuery(index.settings, field.object(parseJson(body)), command), topK }
  const without = index.store.selected('id IN (SELECT id FROM resumable_returned WHERE uuid = ?)', uuid)
  const rows = answerQuery(index, query, { candidates: 'topK', without, room: new AnswerRoom() })
  const ids = JSON.stringify(rows.map(({ id }) => id))
  index.sql.exec('INSERT INTO resumable_returned (uuid, id) SELECT ?, value FROM json_each(?)', uuid, ids)
  return rows
}

function expire({ sql, platform }: EmbeddedIndex): void {
  sql.exec('DELETE FROM resumable_queries WHERE expires_ms <= ?', platform.nowMs())
}

/** @returns whether it existed */
function end({ sql }: EmbeddedIndex, uuid: string): boolean {
  return sql.exec('DELETE FROM resumable_queries WHERE uuid = ? RETURNING uuid', uuid).toArray().length > 0
}

/** The name of a query in a body. @throws `ProtocolError` if it is missing */
export function uuidIn({ uuid }: field.Fields): string {
  if (typeof uuid !== 'string' || uuid === '') throw invalid('uuid is required')
  return uuid
}

/** The error for a resumable query that does not exist. */
export function queryEnded(uuid: string): ProtocolError {
  return new ProtocolError(
    404,
    `Resumable query ${uuid} does not exist: it was never started, has ended, or was idle too long`,
  )
}
