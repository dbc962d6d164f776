import { object, required, requireOptions } from '../core/lib/options.ts'
import { DurableObject, RpcTarget } from 'cloudflare:workers'
import { createSealer } from './answer-cache/envelope.ts'
import { Flight, type FlightRole } from './coalescing/flight.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { Coalescer, CoalescedOutcome } from '../ports/coalescer.ts'

/** The leader's end of a flight. */
export interface FlightLeader extends RpcTarget {
  complete(outcome: CoalescedOutcome): void
}

/** When the leader's request is gone, the runtime disposes of what it was given, and the flight knows. */
class LeaderTarget extends RpcTarget implements FlightLeader {
  readonly #flight: Flight
  readonly #leader: number

  constructor(flight: Flight, leader: number) {
    super()
    this.#flight = flight
    this.#leader = leader
  }

  complete(outcome: CoalescedOutcome): void {
    this.#flight.complete(this.#leader, outcome)
  }

  [Symbol.dispose](): void {
    this.#flight.lose(this.#leader)
  }
}

/** What `join` of an object gives: a role, and to the leader its end of the flight. */
type RemoteRole = Exclude<FlightRole, { kind: 'leader' }> | { readonly kind: 'leader'; readonly leader: FlightLeader }

/**
 * The Durable Object in which those who ask the same at the same time meet: one object an answer key. It stores nothing.
 * Export it from the Worker, and bind it; `createDurableObjectCoalescer` takes the binding.
 */
export class AnswerFlight extends DurableObject {
  readonly #flight = new Flight(() => Date.now())

  /** @param timeoutMs how long to wait for a leader at most, milliseconds */
  async join(timeoutMs: number): Promise<RemoteRole> {
    const role = await this.#flight.join(timeoutMs)
    return role.kind === 'leader' ? { kind: 'leader', leader: new LeaderTarget(this.#flight, role.leaderId) } : role
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
export function createDurableObjectCoalescer(options: DurableObjectCoalescerOptions): Coalescer {
  requireOptions(options, { namespace: required(object) })
  const { namespace } = options
  const { address } = createSealer(undefined)
  return {
    async join(key, timeoutMs) {
      const role = await namespace.getByName(await address(key)).join(timeoutMs)
      // True because both ends are of one Worker; the types of calls between them lose that pairs are pairs.
      if (role.kind === 'follower') return { kind: 'follower', answer: role.answer as StoredAnswer }
      if (role.kind === 'separate') return { kind: 'separate' }
      const { leader } = role
      return {
        kind: 'leader',
        leader: {
          async complete(outcome) {
            try {
              await leader.complete(outcome)
            } catch {
              // The object is gone, and those who waited with it: they go separately.
            } finally {
              leader[Symbol.dispose]()
            }
          },
        },
      }
    },
  }
}
