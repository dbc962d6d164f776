import { openIndex, type EmbeddedIndex } from '../../src/vector-index/protocol/embedded-index.ts'
import { indexSettings } from '../../src/vector-index/settings.ts'
import { sqliteStorage } from './sqlite-storage.ts'

/** An index that lives as long as nobody lets go of it. */
export function indexInMemory(settings: unknown = {}): EmbeddedIndex {
  return openIndex(sqliteStorage(), indexSettings('memory', settings), {
    nowMs: () => Date.now(),
    random: () => Math.random(),
    randomUuid: () => crypto.randomUUID(),
  })
}
