/** A namespace of an index that is ready to answer: its settings, what it stores, and what it needs of the platform. */
import { RagGateError } from 'hono-rag-gate/errors'
import type { ScanKernel } from '../search/kernel.ts'
import type { IndexStorage, SqlStore } from '../store/schema.ts'
import { kindOf, type IndexSettings } from '../settings.ts'
import { VectorStore } from '../store/store.ts'

/** Clock, names and the compiled kernel, given from outside. */
export interface Platform {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number
  /** A name for a resumable query. */
  readonly randomUuid: () => string
  /** Multiplies dense rows with a question. */
  readonly kernel: ScanKernel
}

/** Everything that a command works on. */
export interface EmbeddedIndex {
  readonly settings: IndexSettings
  readonly store: VectorStore
  readonly sql: SqlStore
  readonly platform: Platform
}

/** What a command is given. */
export interface CommandRequest {
  /** Decoded; `''` is the default one. */
  readonly namespace: string
  /** Parsed JSON; `undefined` when there was no body. */
  readonly body: unknown
}

/** Carries a command out. @returns what the client gets as `result` @throws `ProtocolError` */
export type Command = (index: EmbeddedIndex, request: CommandRequest) => unknown

/**
 * Opens a namespace in a storage, making its tables where they are missing.
 *
 * @throws `config_invalid` when the storage holds vectors that were made for other settings
 */
export function openIndex(storage: IndexStorage, settings: IndexSettings, platform: Platform): EmbeddedIndex {
  const store = new VectorStore(storage)
  agreeOnParts(storage, store.counts().vectorCount > 0, settings)
  return { settings, store, sql: storage.sql, platform }
}

/**
 * Vectors of another dimension or model cannot be compared: what an index was filled for, it stays.
 *
 * @throws `config_invalid` when it holds vectors that were made for other settings
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
