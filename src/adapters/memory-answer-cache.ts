import { number, requireOptions } from '../core/lib/options.ts'
import type { AnswerCache, StoredAnswer } from '../ports/answer-cache.ts'

export interface MemoryAnswerCacheOptions {
  /**
   * Approximate capacity in bytes, two per character of an answer and its key. 0 and up; an isolate has 128 MB.
   *
   * @default 8_388_608
   */
  readonly maxBytes?: number
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024
const BYTES_PER_CHARACTER = 2

/**
 * Keeps the most recently used answers in the isolate. Stored answers are copied and frozen, so that they cannot change.
 *
 * @returns a cache that does not store an answer larger than its capacity
 * @throws `config_invalid` if `maxBytes` is negative or not a number
 */
export function createMemoryAnswerCache(options: MemoryAnswerCacheOptions = {}): AnswerCache {
  requireOptions(options, { maxBytes: number(0) })
  const { maxBytes = DEFAULT_MAX_BYTES } = options
  // A Map keeps the order of insertion: the first entry is the least recently used.
  const entries = new Map<string, { readonly answer: StoredAnswer; readonly bytes: number }>()
  let bytesHeld = 0
  // An entry that is read repeatedly is not moved, because moving entries of a Map is slow.
  let newest = ''

  function remove(key: string): void {
    bytesHeld -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return null
      if (key !== newest) {
        entries.delete(key)
        entries.set(key, entry)
        newest = key
      }
      return entry.answer
    },

    async put(key, answer) {
      remove(key)
      if (answer.schema !== 2 || answer.key !== key) return
      const text = JSON.stringify(answer)
      const bytes = (key.length + text.length) * BYTES_PER_CHARACTER
      if (bytes > maxBytes) return
      // The cast is safe: the text was made from a `StoredAnswer`, which is plain data.
      entries.set(key, { answer: freeze(JSON.parse(text) as StoredAnswer), bytes })
      bytesHeld += bytes
      newest = key
      for (const oldest of entries.keys()) {
        if (bytesHeld <= maxBytes) return
        remove(oldest)
      }
    },

    async delete(key) {
      remove(key)
    },
  }
}

function freeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}
