import { callable, methods, required, requireOptions } from '../core/lib/options.ts'
import type { AnswerCache, StoredAnswer } from '../ports/answer-cache.ts'

export interface TieredAnswerCacheOptions {
  /** From the fastest to the one with the widest reach: memory, the Cache API, KV. Two and up. */
  readonly tiers: readonly AnswerCache[]
  /**
   * Takes the work of filling the faster tiers after the answer was found in a slower one, such as `waitUntil` of
   * `cloudflare:workers`.
   *
   * @default the read waits for it
   */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/**
 * Puts caches one in front of the other. An answer is written to all of them, is read from the first that has one which
 * would do, and is then written to those in front; where none would do, the latest is returned. It is the same entry
 * everywhere, so its lifetime is too. A tier that fails is a tier that holds nothing.
 *
 * @returns a cache whose `put` never rejects, and whose `delete` rejects when one of the tiers does, after all were asked
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
          // Expired or purged here; a tier that others write to may have it anew.
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
