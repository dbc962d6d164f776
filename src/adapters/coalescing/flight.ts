/** Those who ask the same at the same time: one makes the answer, the others wait for it. */
import type { CachedAnswer } from '../../ports/answer-cache.ts'
import type { Landing } from '../../ports/coalescer.ts'

/** A place in a flight. */
export type FlightSeat =
  | {
      readonly kind: 'leader'
      /** Names this leader among those of the flight. */
      readonly leader: number
    }
  | { readonly kind: 'follower'; readonly answer: CachedAnswer }
  | { readonly kind: 'alone' }

/**
 * How long a landing is told to those who come late, milliseconds: they looked into the cache before it was there. Where
 * nothing was stored they need not wait for each other.
 */
const TOLD_MS = 5000

const ALONE: FlightSeat = { kind: 'alone' }

interface Waiting {
  readonly take: (seat: FlightSeat) => void
  readonly timer: ReturnType<typeof setTimeout>
}

/** One flight after the other under one key. */
export class Flight {
  readonly #nowMs: () => number
  #leaders = 0
  #leading: { readonly leader: number; readonly sinceMs: number } | undefined
  #failures = 0
  #landed: { readonly seat: FlightSeat; readonly untilMs: number } | undefined
  readonly #waiting = new Set<Waiting>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Whether nobody leads, waits, or could still be told something. */
  get idle(): boolean {
    return this.#leading === undefined && this.#waiting.size === 0 && this.#told() === undefined
  }

  /** Takes a place. Whoever comes after a leader took longer than the caller would wait leads in its stead. */
  join(timeoutMs: number): Promise<FlightSeat> {
    const told = this.#told()
    if (told !== undefined) return Promise.resolve(told)
    if (this.#leading === undefined || this.#nowMs() - this.#leading.sinceMs >= timeoutMs) {
      return Promise.resolve(this.#lead())
    }
    return new Promise((resolve) => {
      const waiting: Waiting = {
        take: resolve,
        timer: setTimeout(() => {
          this.#waiting.delete(waiting)
          resolve(ALONE)
        }, timeoutMs),
      }
      this.#waiting.add(waiting)
    })
  }

  /** Ends the work of a leader. One that was replaced is heard only where it has an answer. */
  land(leader: number, landing: Landing): void {
    if (this.#leading?.leader !== leader && typeof landing === 'string') return
    if (landing === 'failed') return this.#fail()
    this.#leading = undefined
    this.#failures = 0
    const seat: FlightSeat = landing === 'not-stored' ? ALONE : { kind: 'follower', answer: landing }
    this.#landed = { seat, untilMs: this.#nowMs() + TOLD_MS }
    this.#release(seat)
  }

  /** A leader that is gone without having landed: the next one leads, however many were lost before. */
  lose(leader: number): void {
    if (this.#leading?.leader === leader) this.#succeed()
  }

  #fail(): void {
    this.#failures++
    if (this.#failures === 1) return this.#succeed()
    this.#leading = undefined
    this.#failures = 0
    this.#release(ALONE)
  }

  #succeed(): void {
    this.#leading = undefined
    const [next] = this.#waiting
    if (next === undefined) this.#failures = 0
    else this.#give(next, this.#lead())
  }

  #lead(): FlightSeat {
    const leader = ++this.#leaders
    this.#leading = { leader, sinceMs: this.#nowMs() }
    return { kind: 'leader', leader }
  }

  #told(): FlightSeat | undefined {
    return this.#landed !== undefined && this.#nowMs() < this.#landed.untilMs ? this.#landed.seat : undefined
  }

  #release(seat: FlightSeat): void {
    for (const waiting of this.#waiting) this.#give(waiting, seat)
  }

  #give(waiting: Waiting, seat: FlightSeat): void {
    this.#waiting.delete(waiting)
    clearTimeout(waiting.timer)
    waiting.take(seat)
  }
}
