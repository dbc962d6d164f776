import { callable, methods, required, requireOptions } from '../core/lib/options.ts'
import type { AnswerCache, StoredAnswer } from '../ports/answer-cache.ts'

export interface TieredAnswerCacheOptions {
  /** Caches from the fastest to the most widely shared: memory, the Cache API, KV. Two and up. */
  readonly tiers: readonly AnswerCache[]
  /**
   * Receives the promise of filling faster tiers after an answer was found in a slower one; for example `waitUntil` of
   * `cloudflare:workers`.
   *
   * @default the read waits for it
   */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/**
 * Combines caches into tiers. An answer is written to all tiers, read from the first that has a usable one, and then copied
 * to the faster ones; if none is usable, the latest is returned. The entry is the same in all tiers, and so is its lifetime.
 * A tier that fails counts as empty.
 *
 * @returns a cache whose `put` never rejects, and whose `delete` rejects if a tier does, after all tiers were called
 * @throws `config_invalid` with fewer than two tiers
 */
export function createTieredAnswerCache(options: TieredAnswerCacheOptions): AnswerCache {
  requireOptions(options, {
    tiers: required({
      words: 'two caches or more',
      holds: (tiers) => Array.isArray(tiers) && tiers.length > 1 && tiers.every(methods('get', 'put', 'delete').holds),
    }),
    waitUntil: callable,
  })
  const { tiers, waitUntil } = options
  return {
    async get(key, isUsable = () => true) {
      let latest: StoredAnswer | null = null
      for (const [at, tier] of tiers.entries()) {
        const answer = await (async () => tier.get(key, isUsable))().catch(() => null)
        if (answer === null) continue
        if (!isUsable(answer)) {
          // Expired or purged in this tier; a tier that others write to may have a newer one.
          latest = latest === null || answer.requestedAtMs > latest.requestedAtMs ? answer : latest
          continue
        }
        if (at === 0) return answer
        const filling = Promise.allSettled(tiers.slice(0, at).map((faster) => faster.put(key, answer)))
        if (waitUntil !== undefined) waitUntil(filling)
        else await filling
        return answer
      }
      return latest
    },

    async put(key, answer) {
      await Promise.allSettled(tiers.map(async (tier) => tier.put(key, answer)))
    },

    async delete(key) {
      const outcomes = await Promise.allSettled(tiers.map(async (tier) => tier.delete(key)))
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed !== undefined) throw failed.reason
    },
  }
}
