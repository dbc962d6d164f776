import { openIndex, type EmbeddedIndex } from '../../packages/vector-index/src/protocol/embedded-index.ts'
import { indexSettings } from '../../packages/vector-index/src/settings.ts'
import { sqliteStorage } from './sqlite-storage.ts'

/** An index that lives as long as it is referenced. */
export function indexInMemory(settings: unknown = {}): EmbeddedIndex {
  return openIndex(sqliteStorage(), indexSettings('memory', settings), {
    nowMs: () => Date.now(),
    random: () => Math.random(),
    randomUuid: () => crypto.randomUUID(),
  })
}
