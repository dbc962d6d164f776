/** Queries that can be gone on with. They stand in storage, so that they outlive the memory of the index. */
import { jsonText, parseJson } from '../exact-json.ts'
import { LIMITS } from '../limits.ts'
import { isLonger } from './fields.ts'
import { invalid, ProtocolError } from '../protocol-error.ts'
import { numberOf, textOf, type IndexStorage, type SqlStore } from '../store/schema.ts'

/** A query as it was asked. */
export interface ResumableQuery {
  readonly command: 'query' | 'query-data'
  /** Body of the command that began it. */
  readonly body: unknown
  /** Milliseconds without a question after which it ends. */
  readonly maxIdleMs: number
}

/** The resumable queries of an index. */
export class ResumableQueries {
  readonly #sql: SqlStore
  readonly #nowMs: () => number
  readonly #randomUuid: () => string

  constructor(storage: IndexStorage, platform: { nowMs: () => number; randomUuid: () => string }) {
    this.#sql = storage.sql
    this.#nowMs = platform.nowMs
    this.#randomUuid = platform.randomUuid
  }

  /**
   * Begins a query.
   *
   * @returns what it is called by
   * @throws `ProtocolError` when too many are active, or the body is too long to be kept in a row of storage
   */
  start({ command, body, maxIdleMs }: ResumableQuery): string {
    this.#expire()
    const [counted] = this.#sql.exec('SELECT count(*) AS active FROM resumable_queries').toArray()
    if (numberOf(counted, 'active') >= LIMITS.resumableQueries) {
      throw invalid(`At most ${LIMITS.resumableQueries} resumable queries can be active`)
    }
    const text = jsonText(body)
    if (isLonger(text, LIMITS.resumableBytes)) {
      throw invalid(`A resumable query is longer than ${LIMITS.resumableBytes} bytes`)
    }
    const uuid = this.#randomUuid()
    const values = [uuid, command, text, maxIdleMs, this.#nowMs() + maxIdleMs]
    this.#sql.exec('INSERT INTO resumable_queries VALUES (?, ?, ?, ?, ?)', ...values)
    return uuid
  }

  /**
   * The query of that name; its idle time begins anew.
   *
   * @throws `ProtocolError` when there is none, or none any more
   */
  resume(uuid: string): ResumableQuery {
    this.#expire()
    const [row] = this.#sql.exec('SELECT * FROM resumable_queries WHERE uuid = ?', uuid).toArray()
    if (row === undefined) throw queryEnded(uuid)
    const maxIdleMs = numberOf(row, 'max_idle_ms')
    this.#sql.exec('UPDATE resumable_queries SET expires_ms = ? WHERE uuid = ?', this.#nowMs() + maxIdleMs, uuid)
    const command = textOf(row, 'command') === 'query' ? 'query' : 'query-data'
    return { command, body: parseJson(textOf(row, 'body')), maxIdleMs }
  }

  /** Ids that the query has returned so far. */
  returned(uuid: string): ReadonlySet<string> {
    const rows = this.#sql.exec('SELECT id FROM resumable_returned WHERE uuid = ?', uuid).toArray()
    return new Set(rows.map((row) => textOf(row, 'id')))
  }

  /** Remembers ids as returned; none of them was before. */
  remember(uuid: string, ids: readonly string[]): void {
    const query = 'INSERT INTO resumable_returned (uuid, id) SELECT ?, value FROM json_each(?)'
    this.#sql.exec(query, uuid, JSON.stringify(ids))
  }

  /** Ends a query. @throws `ProtocolError` when there is none, or none any more */
  end(uuid: string): void {
    this.#expire()
    const gone = this.#sql.exec('DELETE FROM resumable_queries WHERE uuid = ? RETURNING uuid', uuid).toArray()
    if (gone.length === 0) throw queryEnded(uuid)
  }

  #expire(): void {
    this.#sql.exec('DELETE FROM resumable_queries WHERE expires_ms <= ?', this.#nowMs())
  }
}

/** The error of a resumable query that is not there. */
export function queryEnded(uuid: string): ProtocolError {
  return new ProtocolError(
    404,
    `Resumable query ${uuid} does not exist: it was never started, has ended, or was idle too long`,
  )
}
