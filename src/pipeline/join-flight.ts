/** One flight of those who ask the same at the same time: its leader makes the answer, its followers wait for it. */
import type { Coalescer, Lead, Seat } from '../ports/coalescer.ts'
import type { QuestionPlace } from './find-place.ts'
import { FULL_USE, type QuestionPorts, type QuestionRequest, type QuestionSettings } from './question-settings.ts'
import { checkStored, isSendable, type StoredAnswer } from './stored-answer.ts'
import { type Faults, withinDeadline } from './within-deadline.ts'

/** What joining a flight comes to. */
export interface JoinedFlight {
  /** Of a follower: the answer that the leader made. */
  readonly answer?: StoredAnswer
  /** Of the leader, whose answer others may wait for. */
  readonly lead?: Lead
  /** Whether there was no answer to share: neither leader nor follower. */
  readonly alone?: true
}

const FAULTS: Faults = { late: 'store_unavailable', failed: 'store_unavailable', what: 'The coalescer' }

/** How much longer than its time limit a coalescer may take before it is given up, milliseconds. */
const GRACE_MS = 500

/**
 * Joins those who ask the same at the same time, and waits for their leader where there is one. Only a
 * question whose answer may be read from the cache and stored there has a part in that. A coalescer that fails is none.
 */
export async function joinFlight(
  ports: QuestionPorts,
  { coalesceTimeoutMs = 0 }: QuestionSettings,
  request: QuestionRequest,
  place: QuestionPlace,
  key: string | undefined,
): Promise<JoinedFlight> {
  const { coalescer, onWarning } = ports
  const { read, store, maxAgeSeconds } = request.cacheUse ?? FULL_USE
  if (coalescer === undefined || coalesceTimeoutMs === 0 || key === undefined) return {}
  if (!read || !store || maxAgeSeconds !== undefined) return {}
  try {
    const seat = await joinInTime(coalescer, key, coalesceTimeoutMs)
    if (seat.kind === 'leader') return { lead: seat.lead }
    if (seat.kind === 'alone') return { alone: true }
    const answer = checkStored(ports, place, seat.answer, key)
    return isSendable(answer, request) ? { answer } : { alone: true }
  } catch (cause) {
    onWarning?.({
      code: 'coalescer_failed',
      message: 'The coalescer failed: this question is answered separately',
      cause,
    })
    return {}
  }
}

/** A lead that comes too late is given back at once: others may be waiting for it. */
async function joinInTime(coalescer: Coalescer, key: string, timeoutMs: number): Promise<Seat> {
  let late = false
  try {
    return await withinDeadline(timeoutMs + GRACE_MS, FAULTS, async () => {
      const seat = await coalescer.join(key, timeoutMs)
      if (late && seat.kind === 'leader') await seat.lead.land('failed')
      return seat
    })
  } finally {
    late = true
  }
}

/**
 * Does the work of a leader, or of one without followers. Where it fails, followers are told at once; where it ends in a
 * result, the result carries the lead on.
 */
export async function workAsLeader<Result extends object>(
  { lead }: JoinedFlight,
  work: () => Promise<Result>,
): Promise<Result & { readonly lead?: Lead }> {
  if (lead === undefined) return work()
  try {
    return { ...(await work()), lead }
  } catch (thrown) {
    await lead.land('failed')
    throw thrown
  }
}
