/** Those who ask the same at the same time: one makes the answer, the others wait for it or read along. */
import type { StoredAnswer } from '../../ports/answer-cache.ts'
import type { CoalescedOutcome, Role } from '../../ports/coalescer.ts'
import { Broadcast } from './broadcast.ts'

/** On which terms a caller waits. */
export interface JoinTerms {
  /** How long a leader may take before one more leads, milliseconds, 1 and up. A caller waits at most twice as long. */
  readonly leaderTimeoutMs: number
  /** Number of the latest purge that the caller knows of. */
  readonly purgeEpoch: number
}

/** @default of `leaderTimeoutMs`: a little more than models are given */
export const LEADER_TIMEOUT_MS = 30_000

/** The role of a caller in a flight. */
export type FlightRole =
  | Exclude<Role, { kind: 'leader' }>
  | {
      readonly kind: 'leader'
      /** Names this leader among those of the flight. */
      readonly leaderId: number
    }

/**
 * How long the last outcome is given to callers that come later, milliseconds: they looked into the cache before the
 * answer was stored.
 */
const KEPT_MS = 5000

/** Failures, one after the other, after which all who wait lead: no caller waits longer than for these. */
const MOST_FAILURES = 2

const SEPARATE: FlightRole = { kind: 'separate' }

/** One who makes the answer. */
interface Leading extends JoinTerms {
  readonly sinceMs: number
  broadcast?: Broadcast
}

/** One who waits. */
interface Waiting extends JoinTerms {
  readonly sinceMs: number
  readonly take: (role: FlightRole) => void
  timer?: ReturnType<typeof setTimeout>
}

/** One flight after the other under one key. */
export class Flight {
  readonly #nowMs: () => number
  readonly #leaders = new Map<number, Leading>()
  readonly #waiting = new Set<Waiting>()
  #lastLeader = 0
  /** Leaders who failed since one came to an answer. */
  #failures = 0
  #ended: { readonly role: FlightRole; readonly purgeEpoch: number; readonly sinceMs: number } | undefined

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether there is no leader in time, no follower, and no kept outcome. */
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

  /** Lets those who wait read along, from the first piece on. Settles at the end of the body, also of a broken one. */
  async begin(leader: number, answer: StoredAnswer, body: ReadableStream<Uint8Array>): Promise<void> {
    const leading = this.#leaders.get(leader)
    if (leading === undefined) return body.cancel()
    const broadcast = new Broadcast(answer)
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        broadcast.add(value)
        if (leading.broadcast !== undefined || !this.#leaders.has(leader)) continue
        leading.broadcast = broadcast
        this.#release(leading.purgeEpoch, () => readAlong(broadcast))
      }
      broadcast.end()
    } catch (cause) {
      broadcast.end({ cause })
    }
  }

  /** Ends the work of a leader; only the first time counts. */
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

  /** A leader whose connection closed: the next one leads, however many were lost before. */
  lose(leader: number): void {
    const leading = this.#leaders.get(leader)
    if (leading === undefined) return
    this.#leaders.delete(leader)
    leading.broadcast?.end({ cause: new Error('The one who made the answer is gone') })
    this.#succeed()
  }

  /** Has those who wait lead, as many as may at once. */
  #succeed(): void {
    const atOnce = this.#failures < MOST_FAILURES ? 1 : Infinity
    while (this.#waiting.size > 0 && this.#punctual().length < atOnce) {
      // The leader that knows of the most purges: its answer may be sent to all.
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

  /** Leaders who have not taken too long. */
  #punctual(): Leading[] {
    return [...this.#leaders.values()].filter((leading) => this.#isWithin(leading.leaderTimeoutMs, leading))
  }

  /** Those of them whose answer this caller may be sent. */
  #leadersFor({ purgeEpoch, leaderTimeoutMs }: JoinTerms): Leading[] {
    return this.#punctual().filter(
      (leading) => leading.purgeEpoch >= purgeEpoch && this.#isWithin(leaderTimeoutMs, leading),
    )
  }

  /** When every leader has taken too long, one of those who wait leads as well, and the others wait for that one. */
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

  /** @param purgeEpoch of the latest purge that it outlives */
  #end(role: FlightRole, purgeEpoch: number): void {
    this.#ended = { role, purgeEpoch, sinceMs: this.#nowMs() }
  }

  /** Whether something began less than so long ago. What began in the future did not: the clock was set back. */
  #isWithin(forMs: number, begun: { readonly sinceMs: number } | undefined): boolean {
    if (begun === undefined) return false
    const ageMs = this.#nowMs() - begun.sinceMs
    return ageMs >= 0 && ageMs < forMs
  }

  /** Gives a role to those who know of no later purge. */
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
