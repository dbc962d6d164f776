import type { EmbeddedIndex } from '../embedded-index.ts'

/** What a command is given. */
export interface CommandRequest {
  /** Decoded; `''` is the default one. */
  readonly namespace: string
  /** Parsed JSON; `undefined` when there was no body. */
  readonly body: unknown
  /** Query string without its question mark. */
  readonly search: string
  /** What the index holds beside the storage that the command works on. */
  readonly elsewhere: Elsewhere
}

/** What counts against a plan, and stands in other storages. */
export interface Elsewhere {
  readonly namespaces: number
  readonly vectors: number
  readonly storedBytes: number
}

/** Carries a command out. @returns what the client gets as `result` @throws `ProtocolError` */
export type Command = (index: EmbeddedIndex, request: CommandRequest) => unknown
