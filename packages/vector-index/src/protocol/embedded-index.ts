/** An opened namespace of an index: its settings, storage and platform dependencies. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { ScanKernel } from '../search/kernel.ts'
import type { IndexStorage, SqlStore } from '../store/schema.ts'
import { kindOf, type IndexSettings } from '../settings.ts'
import { VectorStore } from '../store/store.ts'

/** Clock, random names and the compiled kernel. */
export interface Platform {
  /** Unix time in milliseconds. */
  readonly nowMs: () => number
  /** A unique name for a resumable query. */
  readonly randomUuid: () => string
  /** Multiplies dense rows by a question vector. */
  readonly kernel: ScanKernel
}

/** Everything that a command works on. */
export interface EmbeddedIndex {
  readonly settings: IndexSettings
  readonly store: VectorStore
  readonly sql: SqlStore
  readonly platform: Platform
}

/** Input of a command. */
export interface CommandRequest {
  /** Decoded; `''` is the default namespace. */
  readonly namespace: string
  /** Parsed JSON; `undefined` without a body. */
  readonly body: unknown
}

/** Carries out a command. @returns the `result` for the client @throws `ProtocolError` */
export type Command = (index: EmbeddedIndex, request: CommandRequest) => unknown

/**
 * Opens a namespace in a storage, and creates missing tables.
 *
 * @throws `config_invalid` if the storage holds vectors made for other settings
 */
export function openIndex(storage: IndexStorage, settings: IndexSettings, platform: Platform): EmbeddedIndex {
  const store = new VectorStore(storage)
  agreeOnParts(storage, store.counts().vectorCount > 0, settings)
  return { settings, store, sql: storage.sql, platform }
}

/**
 * Checks the settings against those that the index was filled with: other vectors are not comparable.
 *
 * @throws `config_invalid` if it holds vectors made for other settings
 */
export function agreeOnParts({ sql }: IndexStorage, filled: boolean, settings: IndexSettings): void {
  const { dense, sparse, name } = settings
  const densePart = dense && `${dense.dimension} ${dense.similarity} ${dense.model || 'no model'}`
  const sparsePart = sparse && `sparse ${sparse.model || 'no model'}`
  const parts = [kindOf(settings), densePart, sparsePart].filter((part) => part !== undefined).join(', ')
  const [known] = sql.exec<{ parts: string }>('SELECT parts FROM made_for').toArray()
  if (filled && known?.parts !== parts) {
    throw new RagGateError(
      'config_invalid',
      `The index "${name}" holds vectors made for ${known?.parts}, not for ${parts}. ` +
        'Configure what it was made for, or give the new settings another name.',
    )
  }
  if (known?.parts !== parts) sql.exec('INSERT OR REPLACE INTO made_for VALUES (1, ?)', parts)
}
