/** The rows of a storage: those that queries find, and writes that only reading by id or in order sees yet. */
import { compileFilter } from '../filter/compile-filter.ts'
import type { Filter } from '../filter/filter.ts'
import { PAGE_ROWS, type Metadata } from '../filter/metadata-columns.ts'
import { valueAt } from '../filter/path.ts'
import type { Vectors } from '../search/vectors.ts'
import type { LoadedRow } from './resident-namespace.ts'
import { numberOf, textOf, type SqlRow, type SqlStore } from './schema.ts'
import {
  attachmentOf,
  denseOf,
  ROW_COLUMNS,
  rowValues,
  VECTOR_COLUMNS,
  vectorRow,
  vectorsOf,
  type Attachment,
  type VectorRow,
} from './vector-row.ts'

/** A row that a search found. */
export interface FoundRow extends Attachment {
  readonly id: string
}

const AMONG = 'id IN (SELECT value FROM json_each(?2))'

/** A known id keeps its position. */
const WRITE = `INSERT INTO vectors (position, namespace, ${ROW_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (namespace, id) DO UPDATE SET data = excluded.data, metadata = excluded.metadata,
    dense = excluded.dense, sparse_indices = excluded.sparse_indices, sparse_values = excluded.sparse_values
  RETURNING position`

/** Rows of all namespaces, which are given by their keys. */
export class RowTable {
  readonly #sql: SqlStore

  constructor(sql: SqlStore) {
    this.#sql = sql
  }

  /**
   * Writes rows of different ids. A known id keeps its position.
   *
   * @returns their positions
   */
  write(key: number, rows: readonly VectorRow[]): readonly number[] {
    const free = this.#freePosition()
    return rows.map((row, at) => {
      const [written] = this.#sql.exec(WRITE, free + at, key, ...rowValues(row)).toArray()
      return numberOf(written, 'position')
    })
  }

  /** Writes rows of different ids that queries see later. */
  postpone(key: number, rows: readonly VectorRow[], dueMs: number): void {
    const query = `INSERT INTO pending (due_ms, position, namespace, ${ROW_COLUMNS})
      VALUES (?1, coalesce((SELECT position FROM newest WHERE namespace = ?3 AND id = ?4), ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9)`
    const free = this.#freePosition()
    rows.forEach((row, at) => this.#sql.exec(query, dueMs, free + at, key, ...rowValues(row)))
  }

  /** Namespaces that have writes to be shown by now. */
  keysDue(nowMs: number): readonly { readonly key: number; readonly name: string }[] {
    const query =
      'SELECT DISTINCT key, name FROM pending JOIN namespaces ON key = namespace WHERE due_ms <= ? ORDER BY key'
    const rows = this.#sql.exec(query, nowMs).toArray()
    return rows.map((row) => ({ key: numberOf(row, 'key'), name: textOf(row, 'name') }))
  }

  /** Writes of a namespace whose time has come: of each id the last. */
  due(key: number, nowMs: number): readonly (VectorRow & LoadedRow)[] {
    const query = `SELECT position, ${ROW_COLUMNS} FROM pending WHERE namespace = ? AND due_ms <= ? ORDER BY sequence`
    const rows = this.#sql.exec(query, key, nowMs).toArray()
    return Array.from(
      new Map(
        rows.map((row) => [textOf(row, 'id'), { ...vectorRow(row), position: numberOf(row, 'position') }]),
      ).values(),
    )
  }

  /** Shows queries the writes that were due at that time. */
  show(key: number, rows: readonly (VectorRow & LoadedRow)[], nowMs: number): void {
    this.#sql.exec('DELETE FROM pending WHERE namespace = ? AND due_ms <= ?', key, nowMs)
    for (const row of rows) this.#sql.exec(WRITE, row.position, key, ...rowValues(row)).toArray()
  }

  /** Positions of rows that queries find, by their ids. */
  positionsOf(key: number, ids: Iterable<string>): readonly number[] {
    const query = `SELECT position FROM vectors WHERE namespace = ?1 AND ${AMONG}`
    const rows = this.#sql.exec(query, key, JSON.stringify([...ids])).toArray()
    return rows.map((row) => numberOf(row, 'position'))
  }

  /** Vectors of rows by their positions, of those that queries find. */
  vectorsAt(positions: readonly number[]): ReadonlyMap<number, Vectors> {
    const query = `SELECT position, ${VECTOR_COLUMNS} FROM vectors WHERE position IN (SELECT value FROM json_each(?))`
    const rows = this.#sql.exec(query, JSON.stringify(positions)).toArray()
    return new Map(rows.map((row) => [numberOf(row, 'position'), vectorsOf(row)]))
  }

  /** Dense vectors of rows by their positions. */
  denseAt(positions: readonly number[]): ReadonlyMap<number, Float32Array> {
    const query = 'SELECT position, dense FROM vectors WHERE position IN (SELECT value FROM json_each(?))'
    const rows = this.#sql.exec(query, JSON.stringify(positions)).toArray()
    return new Map(rows.map((row) => [numberOf(row, 'position'), denseOf(row)]))
  }

  /** Rows as they are searched, by their positions; those that are gone are not there. */
  loadedAt(positions: readonly number[]): ReadonlyMap<number, LoadedRow> {
    const vectors = this.vectorsAt(positions)
    return new Map(Array.from(vectors, ([position, both]) => [position, { position, ...both }]))
  }

  /** Reads rows that have one of the ids, each once, in no order, as they were last written; as far as they are taken. */
  *found(key: number, ids: readonly string[]): Iterable<VectorRow> {
    const query = `SELECT ${ROW_COLUMNS} FROM ${this.#newest()} WHERE namespace = ?1 AND ${AMONG}`
    for (const row of this.#sql.exec(query, key, JSON.stringify(ids))) yield vectorRow(row)
  }

  /** Rows in insertion order, as they were last written; read as far as they are taken. @param after position of the row before */
  *range(
    key: number,
    after: number,
    limit: number,
    prefix: string,
  ): Iterable<VectorRow & { readonly position: number }> {
    const query = `SELECT position, ${ROW_COLUMNS} FROM ${this.#newest()}
      WHERE namespace = ? AND position > ? AND substr(id, 1, length(?)) = ? ORDER BY position LIMIT ?`
    for (const row of this.#sql.exec(query, key, after, prefix, prefix, limit)) {
      yield { ...vectorRow(row), position: numberOf(row, 'position') }
    }
  }

  /** The row that so many stand before, as it was last written; `undefined` beyond the last. */
  nth(key: number, before: number): VectorRow | undefined {
    const query = `SELECT ${ROW_COLUMNS} FROM ${this.#newest()} WHERE namespace = ? ORDER BY position LIMIT 1 OFFSET ?`
    const [row] = this.#sql.exec(query, key, before).toArray()
    return row === undefined ? undefined : vectorRow(row)
  }

  /** How many ids there are, pending ones too. */
  idCount(key: number): number {
    const [row] = this.#sql.exec(`SELECT count(*) AS ids FROM ${this.#newest()} WHERE namespace = ?`, key).toArray()
    return numberOf(row, 'ids')
  }

  /** Ids of rows that queries find and what stands beside them, by position, in no order; read as far as it is taken. */
  *foundAt(positions: readonly number[]): Iterable<readonly [position: number, FoundRow]> {
    const query = 'SELECT position, id, data, metadata FROM vectors WHERE position IN (SELECT value FROM json_each(?))'
    for (const row of this.#sql.exec(query, JSON.stringify(positions))) {
      yield [numberOf(row, 'position'), { id: textOf(row, 'id'), ...attachmentOf(row) }]
    }
  }

  /** A page of what is searched, in insertion order. @param after position of the row before */
  page(key: number, after: number, limit: number): readonly LoadedRow[] {
    const query = `SELECT position, ${VECTOR_COLUMNS} FROM vectors WHERE namespace = ? AND position > ?
      ORDER BY position LIMIT ?`
    return this.#sql
      .exec(query, key, after, limit)
      .toArray()
      .map((row) => ({ position: numberOf(row, 'position'), ...vectorsOf(row) }))
  }

  /** Metadata of rows that queries find, in the order of the positions. */
  metadataAt(positions: readonly number[]): readonly Metadata[] {
    const query = 'SELECT position, metadata FROM vectors WHERE position IN (SELECT value FROM json_each(?))'
    const rows = this.#sql.exec(query, JSON.stringify(positions)).toArray()
    const found = new Map(rows.map((row) => [numberOf(row, 'position'), attachmentOf(row).metadata]))
    return positions.map((position) => found.get(position))
  }

  /** Ids that begin with a prefix. */
  idsWithPrefix(key: number, prefix: string): readonly string[] {
    const query = `SELECT id FROM ${this.#newest()} WHERE namespace = ?1 AND substr(id, 1, length(?2)) = ?2`
    return this.#ids(this.#sql.exec(query, key, prefix).toArray())
  }

  /** Ids of rows whose metadata, as it was last written, a filter selects. They are read a page at a time. */
  idsSelected(key: number, filter: Filter): readonly string[] {
    const select = compileFilter(filter)
    const source = this.#newest()
    const query = `SELECT position, id, metadata FROM ${source} WHERE namespace = ? AND position > ?
      ORDER BY position LIMIT ${PAGE_ROWS}`
    const found: string[] = []
    for (let after = -1; ;) {
      const page = this.#sql.exec(query, key, after).toArray()
      const metadata = page.map((row) => attachmentOf(row).metadata)
      const selected = select(page.length, (path) => metadata.map((row) => valueAt(row, path)))
      found.push(...this.#ids(page.filter((_row, at) => selected[at] === 1)))
      if (page.length < PAGE_ROWS) return found
      after = numberOf(page.at(-1), 'position')
    }
  }

  /** Removes rows by id, pending or not. @returns positions of those that queries found, and how many ids there were */
  remove(key: number, ids: readonly string[]): { readonly seen: readonly number[]; readonly count: number } {
    const list = JSON.stringify(ids)
    const remove = (table: 'vectors' | 'pending'): SqlRow[] =>
      this.#sql
        .exec(`DELETE FROM ${table} WHERE namespace = ?1 AND ${AMONG} RETURNING id, position`, key, list)
        .toArray()
    const seen = remove('vectors')
    const gone = new Set([...seen, ...remove('pending')].map((row) => textOf(row, 'id')))
    return { seen: seen.map((row) => numberOf(row, 'position')), count: gone.size }
  }

  /** Removes all rows of a namespace. */
  empty(key: number): void {
    this.#sql.exec('DELETE FROM vectors WHERE namespace = ?', key)
    this.#sql.exec('DELETE FROM pending WHERE namespace = ?', key)
  }

  /** Where rows stand as they were last written. Without pending ones the table itself does, and has the better plan. */
  #newest(): 'newest' | 'vectors' {
    const [row] = this.#sql.exec('SELECT EXISTS (SELECT 1 FROM pending) AS pending').toArray()
    return numberOf(row, 'pending') === 1 ? 'newest' : 'vectors'
  }

  #freePosition(): number {
    const query = `SELECT 1 + max(coalesce((SELECT max(position) FROM vectors), 0),
      coalesce((SELECT max(position) FROM pending), 0), (SELECT max(covered) FROM namespaces)) AS free`
    return numberOf(this.#sql.exec(query).toArray()[0], 'free')
  }

  #ids(rows: readonly SqlRow[]): readonly string[] {
    return rows.map((row) => textOf(row, 'id'))
  }
}
