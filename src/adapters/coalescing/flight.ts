/** Those who ask the same at the same time: one makes the answer, the others wait for it. */
import type { StoredAnswer } from '../../ports/answer-cache.ts'
import type { CoalescedOutcome } from '../../ports/coalescer.ts'

/** The role of a caller in a flight. */
export type FlightRole =
  | {
      readonly kind: 'leader'
      /** Names this leader among those of the flight. */
      readonly leaderId: number
    }
  | { readonly kind: 'follower'; readonly answer: StoredAnswer }
  | { readonly kind: 'separate' }

/**
 * How long the last outcome is given to callers that come later, milliseconds: they looked into the cache before the
 * answer was stored.
 */
const KEPT_MS = 5000

const SEPARATE: FlightRole = { kind: 'separate' }

interface Waiting {
  readonly take: (role: FlightRole) => void
  readonly timer: ReturnType<typeof setTimeout>
}

/** One flight after the other under one key. */
export class Flight {
  readonly #nowMs: () => number
  #leaders = 0
  #leading: { readonly leader: number; readonly sinceMs: number } | undefined
  #failures = 0
  #ended: { readonly role: FlightRole; readonly sinceMs: number } | undefined
  readonly #waiting = new Set<Waiting>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether there is no leader, no one waits, and no outcome is kept. */
  get idle(): boolean {
    return this.#leading === undefined && this.#waiting.size === 0 && this.#keptRole() === undefined
  }

  /** Takes a role. When the leader has taken longer than `timeoutMs`, the caller leads in its place. */
  join(timeoutMs: number): Promise<FlightRole> {
    const kept = this.#keptRole()
    if (kept !== undefined) return Promise.resolve(kept)
    if (!this.#isWithin(timeoutMs, this.#leading)) return Promise.resolve(this.#lead())
    return new Promise((resolve) => {
      const waiting: Waiting = {
        take: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting)
          resolve(SEPARATE)
        }, timeoutMs),
      }
      this.#waiting.add(waiting)
    })
  }

  /** Ends the work of a leader. One that was replaced is heard only where it has an answer. */
  complete(leader: number, outcome: CoalescedOutcome): void {
    if (this.#leading?.leader !== leader && typeof outcome === 'string') return
    if (outcome === 'failed') return this.#fail()
    this.#leading = undefined
    this.#failures = 0
    const role: FlightRole = outcome === 'not-stored' ? SEPARATE : { kind: 'follower', answer: outcome }
    this.#ended = { role, sinceMs: this.#nowMs() }
    this.#release(role)
  }

  /** A leader whose connection closed: the next one leads, however many were lost before. */
  lose(leader: number): void {
    if (this.#leading?.leader === leader) this.#succeed()
  }

  #fail(): void {
    this.#failures++
    if (this.#failures === 1) return this.#succeed()
    this.#leading = undefined
    this.#failures = 0
    this.#release(SEPARATE)
  }

  #succeed(): void {
    this.#leading = undefined
    const [next] = this.#waiting
    if (next === undefined) this.#failures = 0
    else this.#give(next, this.#lead())
  }

  #lead(): FlightRole {
    const leader = ++this.#leaders
    this.#leading = { leader, sinceMs: this.#nowMs() }
    return { kind: 'leader', leaderId: leader }
  }

  #keptRole(): FlightRole | undefined {
    return this.#isWithin(KEPT_MS, this.#ended) ? this.#ended?.role : undefined
  }

  /** Whether something began less than so long ago. What began in the future did not: the clock was set back. */
  #isWithin(forMs: number, begun: { readonly sinceMs: number } | undefined): boolean {
    if (begun === undefined) return false
    const ageMs = this.#nowMs() - begun.sinceMs
    return ageMs >= 0 && ageMs < forMs
  }

  #release(role: FlightRole): void {
    for (const waiting of this.#waiting) this.#give(waiting, role)
  }

  #give(waiting: Waiting, role: FlightRole): void {
    this.#waiting.delete(waiting)
    clearTimeout(waiting.timer)
    waiting.take(role)
  }
}
