/** Answers in a store that others may write to: sealed, and stored under digests of their keys. */
import type { AnswerCache, StoredAnswer } from '../../ports/answer-cache.ts'
import type { Sealer } from './envelope.ts'

/** A failure of an answer store that was not thrown. */
export interface AnswerCacheFault {
  readonly operation: 'get' | 'put'
  /**
   * `damaged`: the stored text is not what was written; it was deleted. `rate-limited`: the store accepted no more writes to
   * this key, and the answer was dropped.
   */
  readonly kind: 'failed' | 'timeout' | 'damaged' | 'rate-limited'
  readonly cause?: unknown
}

/** Texts by address (64 hexadecimal characters). */
export interface SealedStore {
  get(address: string): Promise<string | null>
  put(address: string, sealed: string, seconds: number, answer: StoredAnswer): Promise<unknown>
  delete(address: string): Promise<unknown>
}

/** Longest time that a store keeps an answer, in seconds: one day less than purges are kept. */
const LONGEST_SECONDS = 31 * 86_400

/**
 * Keeps answers in a store for their lifetime plus `staleIfErrorSeconds`. A read that fails or exceeds the deadline is a miss
 * and calls `onFault`. `put` never rejects; `delete` rejects with the store's own error.
 *
 * @param deadlineMs milliseconds
 */
export function sealedAnswers(
  store: SealedStore,
  { address, seal, open }: Sealer,
  deadlineMs: number,
  onFault: ((fault: AnswerCacheFault) => void) | undefined,
): AnswerCache {
  async function read(key: string): Promise<StoredAnswer | null> {
    const at = await address(key)
    const text = await store.get(at)
    const answer = text === null ? text : await open(text, at)
    if (answer !== null) return { ...answer, key }
    if (text === null) return null
    onFault?.({ operation: 'get', kind: 'damaged' })
    await store.delete(at)
    return null
  }

  return {
    async get(key) {
      let timer: ReturnType<typeof setTimeout> | null = null
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), deadlineMs)
      })
      try {
        const answer = await Promise.race([read(key), late])
        if (answer !== 'late') return answer
        onFault?.({ operation: 'get', kind: 'timeout' })
      } catch (cause) {
        onFault?.({ operation: 'get', kind: 'failed', cause })
      } finally {
        clearTimeout(timer)
      }
      return null
    },

    async put(key, answer) {
      const { lifetimeSeconds, staleIfErrorSeconds = 0 } = answer
      const lifetime = Math.floor(lifetimeSeconds)
      if (!(lifetime > 0) || answer.schema !== 2 || answer.key !== key) return
      const seconds = Math.min(LONGEST_SECONDS, lifetime + Math.floor(Math.max(0, staleIfErrorSeconds)))
      try {
        const at = await address(key)
        await store.put(at, await seal(answer, at), seconds, answer)
      } catch (cause) {
        onFault?.({ operation: 'put', kind: 'failed', cause })
      }
    },

    async delete(key) {
      await store.delete(await address(key))
    },
  }
}
