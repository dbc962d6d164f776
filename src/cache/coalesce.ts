/** Coalescing of simultaneous identical questions: a leader makes the answer, followers wait for it or follow its stream. */
import { inTime, storeFaults } from '../pipeline/within-deadline.ts'
import type { CoalescedOutcome, Coalescer, Role } from '../ports/coalescer.ts'
import type { Lookup } from '../pipeline/gate-cache.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { checkStored, foundAs, isSendable } from './stored-answer.ts'

const FAULTS = storeFaults('The coalescer')

export const COALESCER_FAILED = 'The coalescer failed: each is answered separately'

/** The leader's client has disconnected: another caller leads, and no failure is counted. */
export const LEFT: CoalescedOutcome = { kind: 'ended' }

/** Grace period after the coalescer's own deadline, milliseconds. */
const GRACE_MS = 500

/**
 * Joins simultaneous callers with the same question, and waits for their leader if there is one. Only for questions that may
 * use and fill the cache. If the coalescer fails, the question is answered without it.
 *
 * @returns for a follower the leader's answer; for a leader its role; `isSeparate` if there was no answer to share
 */
export async function joinOthers(
  { settings, ports, sharing }: CacheParts,
  asked: CacheRequest,
  { questionKey: key, purges }: Lookup,
): Promise<Pick<Lookup, 'found' | 'leader' | 'isSeparate'>> {
  const { coalescer } = settings
  const { signal, method } = asked.received
  const { read, store, maxAgeSeconds } = asked.use
  // The response to a HEAD has no body for others.
  if (coalescer === undefined || !read || !store || maxAgeSeconds !== undefined || method === 'HEAD') return {}
  // The handler's last answer could not be shared, so waiting for the next one would probably be in vain.
  if (sharing.isBarred) return { isSeparate: true }
  try {
    const role = await joinInTime(coalescer, key, purges.epoch)
    if (role.kind === 'leader') {
      const { leader } = role
      // Its client may have disconnected while it waited.
      if (signal.aborted) await leader.complete(LEFT)
      signal.throwIfAborted()
      return { leader }
    }
    if (role.kind === 'separate') return { isSeparate: true }
    const { body } = role
    const answer = checkStored(ports, asked, purges, role.answer, key)
    if (isSendable(answer, asked)) return { found: { ...foundAs('collapsed', answer), ...(body && { body }) } }
    body?.cancel().catch(() => undefined)
    return { isSeparate: true }
  } catch (cause) {
    signal.throwIfAborted()
    ports.onWarning({ code: 'coalescer_failed', message: COALESCER_FAILED, cause })
    return {}
  }
}

/** Joins with a deadline. If the leader's role arrives too late, it is given up at once, as others may be waiting. */
async function joinInTime(coalescer: Coalescer, key: string, purgeEpoch: number): Promise<Role> {
  let late = false
  try {
    return await inTime(2 * coalescer.leaderTimeoutMs + GRACE_MS, FAULTS, async () => {
      const role = await coalescer.join(key, purgeEpoch)
      if (late && role.kind === 'leader') await role.leader.complete({ kind: 'failed' })
      return role
    })
  } finally {
    late = true
  }
}
