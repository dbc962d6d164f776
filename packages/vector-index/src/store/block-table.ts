/** Blocks of rows as they are searched, in few large rows of storage, and what was written since they were made. */
import { BLOCK_ROWS } from '../search/block-rows.ts'
import { bytesOf, numberOf, type SqlStore } from './schema.ts'

/** Bytes of one row of storage; a Durable Object allows 2 MB. @see https://developers.cloudflare.com/durable-objects/platform/limits/ */
const CHUNK_BYTES = 1024 * 1024

/** Rows behind the blocks, and writes to rows within, from which on blocks are made anew. */
const WORTH_MAKING = { rows: BLOCK_ROWS / 4, writes: 64 } as const

/** The blocks of all namespaces, which are given by their keys. */
export class BlockTable {
  readonly #sql: SqlStore

  constructor(sql: SqlStore) {
    this.#sql = sql
  }

  /** Position of the last row that a block holds; rows behind it were written since. 0 without blocks. */
  covered(key: number): number {
    return this.#number('SELECT covered AS number FROM namespaces WHERE key = ?', key)
  }

  /** Takes note of rows that were written or removed. Those behind the blocks need none. */
  note(key: number, positions: readonly number[]): void {
    const covered = this.covered(key)
    const within = positions.filter((position) => position <= covered)
    if (within.length === 0) return
    this.#sql.exec('INSERT INTO changed (namespace, positions) VALUES (?, ?)', key, JSON.stringify(within))
  }

  /** Positions within the blocks that were written or removed since, each once. */
  changed(key: number): readonly number[] {
    const query = 'SELECT DISTINCT value FROM changed, json_each(positions) WHERE namespace = ?'
    return this.#sql
      .exec(query, key)
      .toArray()
      .map((row) => numberOf(row, 'value'))
  }

  /** Number of the last note; 0 for none. */
  lastNote(key: number): number {
    return this.#number('SELECT coalesce(max(sequence), 0) AS number FROM changed WHERE namespace = ?', key)
  }

  /** Drops notes up to one. */
  forget(key: number, lastNote: number): void {
    this.#sql.exec('DELETE FROM changed WHERE namespace = ? AND sequence <= ?', key, lastNote)
  }

  /** Whether so much was written since that blocks should be made anew. */
  isBehind(key: number): boolean {
    const rows = this.#number(
      `SELECT count(*) AS number FROM
        (SELECT 1 FROM vectors WHERE namespace = ?1 AND position > ?2 LIMIT ${WORTH_MAKING.rows})`,
      key,
      this.covered(key),
    )
    if (rows >= WORTH_MAKING.rows) return true
    const query = 'SELECT coalesce(sum(json_array_length(positions)), 0) AS number FROM changed WHERE namespace = ?'
    return this.#number(query, key) >= WORTH_MAKING.writes
  }

  /** How many there are; they are numbered from 0. */
  count(key: number): number {
    return this.#number('SELECT coalesce(max(block) + 1, 0) AS number FROM blocks WHERE namespace = ?', key)
  }

  read(key: number, block: number): ArrayBuffer {
    const query = 'SELECT bytes FROM blocks WHERE namespace = ? AND block = ? ORDER BY chunk'
    const chunks = this.#sql
      .exec(query, key, block)
      .toArray()
      .map((row) => bytesOf(row, 'bytes'))
    const [only] = chunks
    if (only !== undefined && chunks.length === 1) return only
    const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
    chunks.forEach((chunk, at) => bytes.set(new Uint8Array(chunk), at * CHUNK_BYTES))
    return bytes.buffer
  }

  /** @param last position of its last row */
  write(key: number, block: number, bytes: Uint8Array<ArrayBuffer>, last: number): void {
    this.#sql.exec('DELETE FROM blocks WHERE namespace = ? AND block = ?', key, block)
    for (let chunk = 0; chunk * CHUNK_BYTES < bytes.length; chunk++) {
      const piece = bytes.slice(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES).buffer
      this.#sql.exec('INSERT INTO blocks VALUES (?, ?, ?, ?)', key, block, chunk, piece)
    }
    this.#sql.exec('UPDATE namespaces SET covered = max(covered, ?) WHERE key = ?', last, key)
  }

  /** Removes the blocks of a namespace: all its rows stand behind them then. */
  drop(key: number): void {
    this.#sql.exec('DELETE FROM blocks WHERE namespace = ?', key)
    this.#sql.exec('DELETE FROM changed WHERE namespace = ?', key)
    this.#sql.exec('UPDATE namespaces SET covered = 0 WHERE key = ?', key)
  }

  #number(query: string, ...bindings: number[]): number {
    return numberOf(this.#sql.exec(query, ...bindings).toArray()[0], 'number')
  }
}
