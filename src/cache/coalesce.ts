/** Those who ask the same at the same time: a leader makes the answer, followers wait for it or read along. */
import { inTime, storeFaults } from '../pipeline/within-deadline.ts'
import type { Coalescer, Role } from '../ports/coalescer.ts'
import type { Lookup } from '../pipeline/gate-cache.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { checkStored, foundAs, isSendable } from './stored-answer.ts'

const FAULTS = storeFaults('The coalescer')

export const COALESCER_FAILED = 'The coalescer failed: each is answered separately'

/** How much longer than its time limit a coalescer may take before it is given up, milliseconds. */
const GRACE_MS = 500

/**
 * Joins those who ask the same at the same time, and waits for their leader where there is one. Only a
 * question whose answer may be read from the cache and stored there has a part in that. A coalescer that fails is none.
 *
 * @returns of a follower the leader's answer; of a leader its role; `isSeparate` where there was no answer to share
 */
export async function joinOthers(
  { settings, ports, sharing }: CacheParts,
  asked: CacheRequest,
  { questionKey: key, purges }: Lookup,
): Promise<Pick<Lookup, 'found' | 'leader' | 'isSeparate'>> {
  const { coalescer } = settings
  const { read, store, maxAgeSeconds } = asked.use
  if (coalescer === undefined || !read || !store || maxAgeSeconds !== undefined) return {}
  // The handler's last answer could not be shared: followers would wait for one, then ask all the same.
  if (sharing.isBarred) return { isSeparate: true }
  try {
    const role = await joinInTime(coalescer, key, purges.epoch)
    if (role.kind === 'leader') return { leader: role.leader }
    if (role.kind === 'separate') return { isSeparate: true }
    const { body } = role
    const answer = checkStored(ports, asked, purges, role.answer, key)
    if (isSendable(answer, asked)) return { found: { ...foundAs('collapsed', answer), ...(body && { body }) } }
    body?.cancel().catch(() => undefined)
    return { isSeparate: true }
  } catch (cause) {
    ports.onWarning({ code: 'coalescer_failed', message: COALESCER_FAILED, cause })
    return {}
  }
}

/** A leader whose role comes too late steps down at once: others may be waiting for it. */
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
