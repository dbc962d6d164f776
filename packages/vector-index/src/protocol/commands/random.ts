import { answeredRow, type AnsweredRow } from '../answered-row.ts'
import type { EmbeddedIndex } from '../embedded-index.ts'
import type { CommandRequest } from './command.ts'

/** `random`: some row with its vectors; `null` when there is none. */
export function random(
  { settings, store, platform }: EmbeddedIndex,
  { namespace }: CommandRequest,
): AnsweredRow | null {
  const row = store.random(namespace, platform.random())
  return row === undefined ? null : answeredRow(settings, row, { vectors: true, metadata: false, data: false })
}
