/** Coalesces concurrent requests with the same answer key: one generates the answer, the others wait or read its stream. */
import type { StoredAnswer } from '../../ports/answer-cache.ts'
import type { CoalescedOutcome, Role } from '../../ports/coalescer.ts'
import { Broadcast } from './broadcast.ts'

/** Conditions under which a caller waits. */
export interface JoinTerms {
  /** How long a leader may take before another leads too, milliseconds, 1 and up. A caller waits at most twice as long. */
  readonly leaderTimeoutMs: number
  /** Number of the latest purge that the caller knows of. */
  readonly purgeEpoch: number
}

/** Default of `leaderTimeoutMs`: slightly above the time limit of models. */
export const LEADER_TIMEOUT_MS = 30_000

/** The role of a caller in a flight. */
export type FlightRole =
  | Exclude<Role, { kind: 'leader' }>
  | {
      readonly kind: 'leader'
      /** Identifies this leader within the flight. */
      readonly leaderId: number
    }

/**
 * How long the last outcome is given to later callers, milliseconds: they may have read the cache before the answer was
 * stored.
 */
const KEPT_MS = 5000

/** Consecutive failures after which all waiting callers lead, so that none waits for more than these. */
const MOST_FAILURES = 2

const SEPARATE: FlightRole = { kind: 'separate' }

/** A caller that generates the answer. */
interface Leading extends JoinTerms {
  readonly sinceMs: number
  broadcast?: Broadcast
}

/** A waiting caller. */
interface Waiting extends JoinTerms {
  readonly sinceMs: number
  readonly take: (role: FlightRole) => void
  timer?: ReturnType<typeof setTimeout>
}

/** Successive flights under one key. */
export class Flight {
  readonly #nowMs: () => number
  readonly #leaders = new Map<number, Leading>()
  readonly #waiting = new Set<Waiting>()
  #lastLeader = 0
  /** Leaders that failed since the last success. */
  #failures = 0
  #ended: { readonly role: FlightRole; readonly purgeEpoch: number; readonly sinceMs: number } | undefined

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether there is no leader within its time, no waiting caller, and no kept outcome. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#punctual().length === 0 && !this.#isWithin(KEPT_MS, this.#ended)
  }

  join(terms: JoinTerms): Promise<FlightRole> {
    const kept = this.#keptRole(terms)
    if (kept !== undefined) return Promise.resolve(kept)
    const leaders = this.#leadersFor(terms)
    const broadcast = leaders.find((leading) => leading.broadcast?.isOpen)?.broadcast
    if (broadcast !== undefined) return Promise.resolve(readAlong(broadcast))
    if (leaders.length === 0) return Promise.resolve(this.#lead(terms))
    return new Promise((take) => {
      const waiting: Waiting = { ...terms, sinceMs: this.#nowMs(), take }
      this.#waiting.add(waiting)
      this.#watch(waiting)
    })
  }

  /** Gives waiting callers the body once its first piece has arrived. Settles when the body ends, even by an error. */
  async begin(leader: number, answer: StoredAnswer, body: ReadableStream<Uint8Array>): Promise<void> {
    const leading = this.#leaders.get(leader)
    if (leading === undefined) return body.cancel()
    const broadcast = new Broadcast(answer)
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        // Before the piece is added, because one that is too large is not kept for readers who come after it.
        if (leading.broadcast === undefined && this.#leaders.has(leader)) {
          leading.broadcast = broadcast
          this.#release(leading.purgeEpoch, () => readAlong(broadcast))
        }
        broadcast.add(value)
      }
      broadcast.end()
    } catch (cause) {
      broadcast.end({ cause })
    }
  }

  /** Ends the work of a leader; further calls have no effect. */
  complete(leader: number, outcome: CoalescedOutcome): void {
    const leading = this.#leaders.get(leader)
    if (leading === undefined) return
    this.#leaders.delete(leader)
    this.#failures = outcome.kind === 'failed' ? this.#failures + 1 : 0
    if (outcome.kind === 'answer') {
      const role: FlightRole = { kind: 'follower', answer: outcome.answer }
      if (outcome.isStored) this.#end(role, leading.purgeEpoch)
      this.#release(leading.purgeEpoch, () => role)
    }
    if (outcome.kind === 'separate') {
      this.#end(SEPARATE, Infinity)
      this.#release(Infinity, () => SEPARATE)
    }
    this.#succeed()
  }

  /** Removes a leader whose connection closed; the next caller leads, however many were lost before. */
  lose(leader: number): void {
    const leading = this.#leaders.get(leader)
    if (leading === undefined) return
    this.#leaders.delete(leader)
    leading.broadcast?.end({ cause: new Error('The one who made the answer is gone') })
    this.#succeed()
  }

  /** Makes waiting callers leaders, as many as may lead at once. */
  #succeed(): void {
    const atOnce = this.#failures < MOST_FAILURES ? 1 : Infinity
    while (this.#waiting.size > 0 && this.#punctual().length < atOnce) {
      // The caller that knows the latest purge, because its answer may be sent to all.
      const next = [...this.#waiting].reduce((one, other) => (other.purgeEpoch > one.purgeEpoch ? other : one))
      this.#give(next, this.#lead(next))
    }
    if (this.#leaders.size === 0) this.#failures = 0
  }

  #lead({ leaderTimeoutMs, purgeEpoch }: JoinTerms): FlightRole {
    const leaderId = ++this.#lastLeader
    this.#leaders.set(leaderId, { leaderTimeoutMs, purgeEpoch, sinceMs: this.#nowMs() })
    return { kind: 'leader', leaderId }
  }

  /** Leaders within their time whose answer others may still get. */
  #punctual(): Leading[] {
    return [...this.#leaders.values()].filter(
      (leading) => !leading.broadcast?.isTooLarge && this.#isWithin(leading.leaderTimeoutMs, leading),
    )
  }

  /** Those of them whose answer this caller may get. */
  #leadersFor({ purgeEpoch, leaderTimeoutMs }: JoinTerms): Leading[] {
    return this.#punctual().filter(
      (leading) => leading.purgeEpoch >= purgeEpoch && this.#isWithin(leaderTimeoutMs, leading),
    )
  }

  /** When all leaders have exceeded their time, one waiting caller leads too, and the others wait for it. */
  #watch(waiting: Waiting): void {
    const { leaderTimeoutMs, sinceMs } = waiting
    const latestMs = Math.max(...this.#leadersFor(waiting).map((leading) => leading.sinceMs))
    const untilMs = Math.min(latestMs, sinceMs + leaderTimeoutMs) + leaderTimeoutMs
    waiting.timer = setTimeout(
      () => {
        if (this.#nowMs() >= sinceMs + 2 * leaderTimeoutMs) this.#give(waiting, SEPARATE)
        else if (this.#leadersFor(waiting).length === 0) this.#give(waiting, this.#lead(waiting))
        else this.#watch(waiting)
      },
      Math.max(1, untilMs - this.#nowMs()),
    )
  }

  #keptRole({ purgeEpoch }: JoinTerms): FlightRole | undefined {
    const ended = this.#ended
    return ended !== undefined && this.#isWithin(KEPT_MS, ended) && ended.purgeEpoch >= purgeEpoch
      ? ended.role
      : undefined
  }

  /** @param purgeEpoch number of the latest purge that the outcome survives */
  #end(role: FlightRole, purgeEpoch: number): void {
    this.#ended = { role, purgeEpoch, sinceMs: this.#nowMs() }
  }

  /** Whether something began less than `forMs` ago. `false` for a beginning in the future, after the clock was set back. */
  #isWithin(forMs: number, begun: { readonly sinceMs: number } | undefined): boolean {
    if (begun === undefined) return false
    const ageMs = this.#nowMs() - begun.sinceMs
    return ageMs >= 0 && ageMs < forMs
  }

  /** Gives a role to the waiting callers that know of no later purge. */
  #release(purgeEpoch: number, roleOf: () => FlightRole): void {
    for (const waiting of this.#waiting) if (waiting.purgeEpoch <= purgeEpoch) this.#give(waiting, roleOf())
  }

  #give(waiting: Waiting, role: FlightRole): void {
    this.#waiting.delete(waiting)
    if (waiting.timer !== undefined) clearTimeout(waiting.timer)
    waiting.take(role)
  }
}

function readAlong(broadcast: Broadcast): FlightRole {
  return { kind: 'follower', answer: broadcast.answer, body: broadcast.read() }
}
