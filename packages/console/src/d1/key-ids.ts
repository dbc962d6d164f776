/** Caches which key ids exist, so that invented ones do not cost a database lookup each. */
import { keepNewest } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'

/** Options of `createKeyIds`. */
export interface KeyIdsOptions {
  /** How long an unknown id, and the list of ids, are cached, milliseconds. */
  readonly unknownMaxAgeMs: number
  /** Reads ids of keys, at most this many. */
  readonly list: (limit: number) => Promise<readonly string[]>
  readonly clock: Clock
}

/** The cache of key ids. */
export interface KeyIds {
  /** Whether an id certainly has no key. May read the list of all ids, at most once per period. */
  isUnknown(id: string): Promise<boolean>
  /** Records that a lookup found no key. */
  noteUnknown(id: string): void
  /** Records a new key. */
  noteMade(id: string): void
}

/** Number of lookups of unknown ids within `unknownMaxAgeMs` before the list of ids is read. */
const LOOK_UPS = 20

/** Maximum number of cached unknown ids. */
const MAX_UNKNOWN = 1000

/** Maximum number of keys for which the list of ids is read. */
const MAX_LISTED = 10_000

interface List {
  /** `undefined` if there are too many keys to list. */
  readonly ids: Set<string> | undefined
  readonly readAtMs: number
}

/** Makes an empty cache for one database. */
export function createKeyIds({ unknownMaxAgeMs, list, clock }: KeyIdsOptions): KeyIds {
  const unknown = new Map<string, number>()
  let missed = { sinceMs: 0, count: 0 }
  let listed: List | undefined
  let readingSinceMs: number | undefined

  const isFresh = (atMs: number): boolean => {
    const ageMs = clock.nowMs() - atMs
    return ageMs >= 0 && ageMs < unknownMaxAgeMs
  }

  /** The list, read again if it is too old; while another request is reading it, the previous one. */
  async function currentList(): Promise<List | undefined> {
    const nowMs = clock.nowMs()
    // Once there are too many keys they stay so, because revoked ones are kept.
    if (listed !== undefined && (listed.ids === undefined || isFresh(listed.readAtMs))) return listed
    // A cancelled request never finishes reading.
    if (readingSinceMs !== undefined && isFresh(readingSinceMs)) return listed
    readingSinceMs = nowMs
    try {
      const found = await list(MAX_LISTED + 1)
      listed = { ids: found.length > MAX_LISTED ? undefined : new Set(found), readAtMs: nowMs }
      return listed
    } finally {
      readingSinceMs = undefined
    }
  }

  return {
    async isUnknown(id) {
      const notedAtMs = unknown.get(id)
      if (notedAtMs !== undefined && isFresh(notedAtMs)) return true
      if (missed.count < LOOK_UPS || !isFresh(missed.sinceMs)) return false
      const ids = (await currentList())?.ids
      return ids !== undefined && !ids.has(id)
    },

    noteUnknown(id) {
      const nowMs = clock.nowMs()
      missed = isFresh(missed.sinceMs) ? { ...missed, count: missed.count + 1 } : { sinceMs: nowMs, count: 1 }
      keepNewest(unknown, id, nowMs, MAX_UNKNOWN)
    },

    noteMade(id) {
      listed?.ids?.add(id)
    },
  }
}
