import { DurableObject, RpcTarget } from 'cloudflare:workers'
import { createSealer } from './answer-cache/envelope.ts'
import { Flight, type FlightSeat } from './coalescing/flight.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { Coalescer, Landing } from '../ports/coalescer.ts'

/** The leader's end of a flight. */
export interface FlightLead extends RpcTarget {
  land(landing: Landing): void
}

/** When the leader's request is gone, the runtime disposes of what it was given, and the flight knows. */
class LeadTarget extends RpcTarget implements FlightLead {
  readonly #flight: Flight
  readonly #leader: number

  constructor(flight: Flight, leader: number) {
    super()
    this.#flight = flight
    this.#leader = leader
  }

  land(landing: Landing): void {
    this.#flight.land(this.#leader, landing)
  }

  [Symbol.dispose](): void {
    this.#flight.lose(this.#leader)
  }
}

/** What `join` of an object gives: a place, and to the leader its end of the flight. */
type RemoteSeat = Exclude<FlightSeat, { kind: 'leader' }> | { readonly kind: 'leader'; readonly lead: FlightLead }

/**
 * The Durable Object in which those who ask the same at the same time meet: one object an answer key. It stores nothing.
 * Export it from the Worker, and bind it; `createDurableObjectCoalescer` takes the binding.
 */
export class AnswerFlight extends DurableObject {
  readonly #flight = new Flight(() => Date.now())

  /** @param timeoutMs how long to wait for a leader at most, milliseconds */
  async join(timeoutMs: number): Promise<RemoteSeat> {
    const seat = await this.#flight.join(timeoutMs)
    return seat.kind === 'leader' ? { kind: 'leader', lead: new LeadTarget(this.#flight, seat.leader) } : seat
  }
}

export interface DurableObjectCoalescerOptions {
  /** The binding of `AnswerFlight`. */
  readonly namespace: DurableObjectNamespace<AnswerFlight>
}

/**
 * Coalesces across all isolates and data centres of a Worker: each answer key has an object of its own, named by the
 * SHA-256 of the key. A leader whose request was cancelled, or whose isolate is gone, is lost at once, and one of those who
 * wait takes its place.
 *
 * @see https://developers.cloudflare.com/workers/runtime-apis/rpc/lifecycle/
 */
export function createDurableObjectCoalescer({ namespace }: DurableObjectCoalescerOptions): Coalescer {
  const { address } = createSealer(undefined)
  return {
    async join(key, timeoutMs) {
      const seat = await namespace.getByName(await address(key)).join(timeoutMs)
      // True because both ends are of one Worker; the types of calls between them lose that pairs are pairs.
      if (seat.kind === 'follower') return { kind: 'follower', answer: seat.answer as CachedAnswer }
      if (seat.kind === 'alone') return { kind: 'alone' }
      const { lead } = seat
      return {
        kind: 'leader',
        lead: {
          async land(landing) {
            try {
              await lead.land(landing)
            } catch {
              // The object is gone, and those who waited with it: they go alone.
            } finally {
              lead[Symbol.dispose]()
            }
          },
        },
      }
    },
  }
}
