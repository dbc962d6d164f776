import type { StoredAnswer } from '../../ports/answer-cache.ts'

/** Something that went wrong in a store of answers and was not passed on. */
export interface AnswerCacheFault {
  readonly operation: 'get' | 'put'
  /**
   * `damaged`: what was stored is not what was put there; it was deleted. `rate-limited`: the store took no more writes to
   * this key, and the answer was dropped.
   */
  readonly kind: 'failed' | 'timeout' | 'damaged' | 'rate-limited'
  readonly cause?: unknown
}

/** A read that fails, or takes longer than the deadline, is a miss, and `onFault` is called. */
export async function readInTime(
  deadlineMs: number,
  onFault: ((fault: AnswerCacheFault) => void) | undefined,
  read: () => Promise<StoredAnswer | null>,
): Promise<StoredAnswer | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), deadlineMs)
  })
  try {
    const answer = await Promise.race([read(), late])
    if (answer !== 'late') return answer
    onFault?.({ operation: 'get', kind: 'timeout' })
  } catch (cause) {
    onFault?.({ operation: 'get', kind: 'failed', cause })
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
  return null
}
