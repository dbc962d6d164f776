import type { StoredAnswer } from '../../ports/answer-cache.ts'

/** Longest that a store keeps an answer, seconds: a day less than purges are remembered. */
const LONGEST_SECONDS = 31 * 86_400

/**
 * How long a store keeps an answer, whole seconds from when it is stored: its lifetime and its window past that.
 *
 * @returns 0 when it is not to be stored
 */
export function storedSeconds({ lifetimeSeconds, staleIfErrorSeconds = 0 }: StoredAnswer): number {
  const lifetime = Math.floor(lifetimeSeconds)
  if (!(lifetime > 0)) return 0
  return Math.min(LONGEST_SECONDS, lifetime + Math.floor(Math.max(0, staleIfErrorSeconds)))
}
