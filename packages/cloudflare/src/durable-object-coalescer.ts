import { object, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { DurableObject, RpcTarget } from 'cloudflare:workers'
import { createSealer } from 'hono-rag-gate/adapters/answer-cache'
import { Flight, type FlightRole, type JoinTerms, LEADER_TIMEOUT_MS } from 'hono-rag-gate/adapters/coalescing'
import type { StoredAnswer, Coalescer, CoalescedOutcome } from 'hono-rag-gate/ports'

/** The leader's end of a flight. */
export interface FlightLeader extends RpcTarget {
  begin(answer: StoredAnswer, body: ReadableStream<Uint8Array>): Promise<void>
  complete(outcome: CoalescedOutcome): void
}

/** A body as it is sent to another object: of one that is made here and breaks off the runtime logs an uncaught exception. */
function piped(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream()
  body.pipeTo(writable).catch(() => undefined)
  return readable
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

  begin(answer: StoredAnswer, body: ReadableStream<Uint8Array>): Promise<void> {
    return this.#flight.begin(this.#leader, answer, body)
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

  async join(terms: JoinTerms): Promise<RemoteRole> {
    const role = await this.#flight.join(terms)
    if (role.kind === 'leader') return { kind: 'leader', leader: new LeaderTarget(this.#flight, role.leaderId) }
    return role.kind === 'follower' && role.body !== undefined ? { ...role, body: piped(role.body) } : role
  }
}

export interface DurableObjectCoalescerOptions {
  /** The binding of `AnswerFlight`. */
  readonly namespace: DurableObjectNamespace<AnswerFlight>
  /**
   * How long the one who makes the answer may take to begin it before one more of those who wait tries, milliseconds,
   * 1..600,000: a little more than the time limit of the model.
   *
   * @default 30_000
   */
  readonly leaderTimeoutMs?: number
}

/**
 * Coalesces across all isolates and data centres of a Worker: each answer key has an object of its own, named by the
 * SHA-256 of the key. A leader whose request was cancelled, or whose isolate is gone, is lost at once, and one of those who
 * wait takes its place.
 *
 * @throws `config_invalid` when `leaderTimeoutMs` is out of range
 * @see https://developers.cloudflare.com/workers/runtime-apis/rpc/lifecycle/
 */
export function createDurableObjectCoalescer(options: DurableObjectCoalescerOptions): Coalescer {
  requireOptions(options, { namespace: required(object), leaderTimeoutMs: whole(1, 600_000) })
  const { namespace, leaderTimeoutMs = LEADER_TIMEOUT_MS } = options
  const { address } = createSealer(undefined)
  return {
    leaderTimeoutMs,

    async join(key, purgeEpoch) {
      const role = await namespace.getByName(await address(key)).join({ leaderTimeoutMs, purgeEpoch })
      // True because both ends are of one Worker; the types of calls between them lose that pairs are pairs.
      if (role.kind === 'follower') {
        const { answer, body } = role
        return { kind: 'follower', answer: answer as StoredAnswer, ...(body && { body }) }
      }
      if (role.kind === 'separate') return { kind: 'separate' }
      const { leader } = role
      let begun: Promise<unknown> | undefined
      return {
        kind: 'leader',
        leader: {
          begin(answer, body) {
            // The object is gone, and those who read along with it: `complete` comes all the same.
            begun = leader.begin(answer, piped(body)).catch(() => undefined)
          },
          async complete(outcome) {
            try {
              await begun
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
