/** The namespaces of a storage: their names and what is counted of each. */
import { numberOf, textOf, type SqlStore } from './schema.ts'

/** A namespace and how many vectors it has. */
export interface NamespaceCount {
  readonly name: string
  /** Vectors that queries find. */
  readonly vectorCount: number
  /** Writes that no query sees yet. */
  readonly pendingVectorCount: number
  /** Bytes that its rows take in memory once they are searched, those of pending writes too. */
  readonly memoryBytes: number
}

/** The table of namespaces. The default one, `''`, always is there. */
export class NamespaceTable {
  readonly #sql: SqlStore

  constructor(sql: SqlStore) {
    this.#sql = sql
  }

  /** All of them in the order they were made; the default one always is the first. */
  counts(): readonly NamespaceCount[] {
    const query = `SELECT name, vector_count, memory_bytes,
      (SELECT count(*) FROM pending WHERE namespace = key) AS pending FROM namespaces ORDER BY key`
    const rows = this.#sql.exec(query).toArray()
    return rows.map((row) => ({
      name: textOf(row, 'name'),
      vectorCount: numberOf(row, 'vector_count'),
      pendingVectorCount: numberOf(row, 'pending'),
      memoryBytes: numberOf(row, 'memory_bytes'),
    }))
  }

  /** Key of a namespace; `undefined` when there is none of that name. */
  keyOf(name: string): number | undefined {
    const [row] = this.#sql.exec('SELECT key FROM namespaces WHERE name = ?', name).toArray()
    return row === undefined ? undefined : numberOf(row, 'key')
  }

  /** Makes a namespace. @returns its key */
  create(name: string): number {
    const [row] = this.#sql.exec('INSERT INTO namespaces (name) VALUES (?) RETURNING key', name).toArray()
    return numberOf(row, 'key')
  }

  rename(key: number, name: string): void {
    this.#sql.exec('UPDATE namespaces SET name = ? WHERE key = ?', name, key)
  }

  /** Removes a namespace that holds nothing. */
  delete(key: number): void {
    this.#sql.exec('DELETE FROM namespaces WHERE key = ?', key)
  }

  /** Vectors that queries find. */
  vectorCount(key: number): number {
    return this.#number(key, 'vector_count')
  }

  /** Bytes that its rows take in memory, pending ones too. */
  memoryBytes(key: number): number {
    return this.#number(key, 'memory_bytes')
  }

  #number(key: number, column: 'vector_count' | 'memory_bytes'): number {
    const [row] = this.#sql.exec(`SELECT ${column} FROM namespaces WHERE key = ?`, key).toArray()
    return numberOf(row, column)
  }
}
