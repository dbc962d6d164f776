/** The namespaces of an index with their last reported counts; serves commands about the whole index. */
import { agreeOnParts } from '../protocol/embedded-index.ts'
import { object } from '../protocol/fields.ts'
import { queryEnded, uuidIn } from '../protocol/resumable-query.ts'
import { invalid, ProtocolError } from '../protocol-error.ts'
import { kindOf, type IndexSettings } from '../settings.ts'
import { createTables, MADE_FOR, type IndexStorage } from '../store/schema.ts'
import type { NamespaceCounts } from '../store/store.ts'
import { keyInResumableName } from './object-names.ts'

const SCHEMA = `CREATE TABLE IF NOT EXISTS directory (
  place INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  vectors INTEGER NOT NULL DEFAULT 0,
  memory_bytes INTEGER NOT NULL DEFAULT 0,
  stored_bytes INTEGER NOT NULL DEFAULT 0
)`

type Entry = { name: string; vectorCount: number; memoryBytes: number; storedBytes: number }

/** The directory of one index. The default namespace always exists, and is the first. */
export class Directory {
  readonly #storage: IndexStorage
  readonly #settings: IndexSettings
  readonly #memoryBytes: number

  /**
   * Creates the table if missing.
   *
   * @param memoryBytes limit of one namespace
   * @throws `config_invalid` if the index holds vectors of other settings
   */
  constructor(storage: IndexStorage, settings: IndexSettings, memoryBytes: number) {
    this.#storage = storage
    this.#settings = settings
    this.#memoryBytes = memoryBytes
    createTables(storage, [SCHEMA, MADE_FOR, `INSERT OR IGNORE INTO directory (name) VALUES ('')`])
    agreeOnParts(
      storage,
      this.#entries().some(({ vectorCount }) => vectorCount > 0),
      settings,
    )
  }

  /** Names of the namespaces, in order of creation. */
  names(): readonly string[] {
    return this.#entries().map(({ name }) => name)
  }

  /** Stores the counts of a namespace. */
  report(name: string, { vectorCount, memoryBytes, storedBytes }: NamespaceCounts): void {
    const query = `INSERT INTO directory (name, vectors, memory_bytes, stored_bytes) VALUES (?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET vectors = excluded.vectors, memory_bytes = excluded.memory_bytes,
        stored_bytes = excluded.stored_bytes`
    this.#storage.sql.exec(query, name, vectorCount, memoryBytes, storedBytes)
  }

  /** @throws `ProtocolError` for a namespace that does not exist, or is the default one */
  requireDeletable(name: string): void {
    if (name === '') throw invalid('The default namespace, which is the empty string "", cannot be deleted.')
    if (this.names().includes(name)) return
    throw new ProtocolError(404, `Namespace ${name} for the index ${this.#settings.name} does not exist`)
  }

  remove(name: string): void {
    this.#storage.sql.exec('DELETE FROM directory WHERE name = ?', name)
  }

  /** The response to `info`. A sparse index has dimension 0 and no similarity function. */
  info(): unknown {
    const { dense, sparse } = this.#settings
    const entries = this.#entries()
    const sum = (numberIn: (entry: Entry) => number) => entries.reduce((total, entry) => total + numberIn(entry), 0)
    const each = (valueOf: (entry: Entry) => unknown) =>
      Object.fromEntries(entries.map((entry) => [entry.name, valueOf(entry)]))
    return {
      vectorCount: sum(({ vectorCount }) => vectorCount),
      pendingVectorCount: 0,
      indexSize: sum(({ storedBytes }) => storedBytes) + this.#storage.sql.databaseSize,
      dimension: dense?.dimension ?? 0,
      similarityFunction: dense?.similarity ?? '',
      indexType: kindOf(this.#settings),
      ...(dense !== undefined && {
        denseIndex: {
          dimension: dense.dimension,
          similarityFunction: dense.similarity,
          embeddingModel: dense.model,
        },
      }),
      ...(sparse !== undefined && { sparseIndex: { embeddingModel: sparse.model } }),
      namespaces: each(({ vectorCount }) => ({ vectorCount, pendingVectorCount: 0 })),
      // Not part of the service's response: memory use of each namespace.
      capacity: {
        memoryBytesPerNamespace: this.#memoryBytes,
        namespaces: each(({ memoryBytes }) => ({ memoryBytes })),
      },
    }
  }

  #entries(): readonly Entry[] {
    const query = `SELECT name, vectors AS vectorCount, memory_bytes AS memoryBytes, stored_bytes AS storedBytes
      FROM directory ORDER BY place`
    return this.#storage.sql.exec<Entry>(query).toArray()
  }
}

/**
 * Key of the object that holds a resumable query.
 *
 * @throws `ProtocolError` 404 if there is none
 */
export function holderOfQuery(body: unknown): string {
  const uuid = uuidIn(object(body))
  const key = keyInResumableName(uuid)
  if (key === undefined) throw queryEnded(uuid)
  return key
}
