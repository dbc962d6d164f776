/** Which ids there are keys of, so that made-up ones cost no look-up each. */
import { keepNewest } from 'hono-rag-gate/core/lib'
import type { Clock } from 'hono-rag-gate/ports'

/** What is asked of the database, and how long an answer holds. */
export interface KeyIdsOptions {
  /** Milliseconds that an id which no key has counts as unknown without another look, and that a list of ids holds. */
  readonly unknownMaxAgeMs: number
  /** Ids of keys, at most so many. */
  readonly list: (limit: number) => Promise<readonly string[]>
  readonly clock: Clock
}

/** What is known of ids without asking the database. */
export interface KeyIds {
  /** Whether an id certainly has no key. May read the list of all ids, once for a while. */
  isUnknown(id: string): Promise<boolean>
  /** Notes that a look-up of an id found no key. */
  noteUnknown(id: string): void
  /** Notes a key that was just made. */
  noteMade(id: string): void
}

/** Look-ups of their own that ids without a key may cost within `unknownMaxAgeMs`; then the list of ids is read. */
const LOOK_UPS = 20

/** Ids without a key that are remembered one by one. */
const MAX_UNKNOWN = 1000

/** Keys up to which the list of ids is worth reading. */
const MAX_LISTED = 10_000

interface List {
  /** `undefined` where there are too many keys to list them. */
  readonly ids: Set<string> | undefined
  readonly readAtMs: number
}

/** Makes an empty memory, for one database. */
export function createKeyIds({ unknownMaxAgeMs, list, clock }: KeyIdsOptions): KeyIds {
  const unknown = new Map<string, number>()
  let missed = { sinceMs: 0, count: 0 }
  let listed: List | undefined
  let readingSinceMs: number | undefined

  const isFresh = (atMs: number): boolean => {
    const ageMs = clock.nowMs() - atMs
    return ageMs >= 0 && ageMs < unknownMaxAgeMs
  }

  /** The list, read again when it is old; while another request reads it, the one there is. */
  async function currentList(): Promise<List | undefined> {
    const nowMs = clock.nowMs()
    // Keys that are too many to list stay so: revoked ones are kept.
    if (listed !== undefined && (listed.ids === undefined || isFresh(listed.readAtMs))) return listed
    // A request that was cancelled never ends its reading.
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
      unknown.delete(id)
      listed?.ids?.add(id)
    },
  }
}
