import { methods, required, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { DurableObject, RpcTarget } from 'cloudflare:workers'
import {
  createFlights,
  type Flight,
  type FlightRole,
  type JoinTerms,
  LEADER_TIMEOUT_MS,
} from 'hono-rag-gate/adapters/coalescing'
import { sha256Hex } from 'hono-rag-gate/http'
import type { StoredAnswer, Coalescer, CoalescedOutcome, Role } from 'hono-rag-gate/ports'

/** The leader's connection to its flight. */
export interface FlightLeader extends RpcTarget {
  begin(answer: StoredAnswer, body: ReadableStream<Uint8Array>): Promise<void>
  complete(outcome: CoalescedOutcome): void
}

/** Pipes a body sent to another object: if a stream made here errors, the runtime logs an uncaught exception. */
function piped(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream()
  body.pipeTo(writable).catch(() => undefined)
  return readable
}

/** The runtime disposes of this target when the leader's request ends, which tells the flight. */
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

/** Result of an object's `join`: a role, and for the leader its connection to the flight. */
type RemoteRole = Exclude<FlightRole, { kind: 'leader' }> | { readonly kind: 'leader'; readonly leader: FlightLeader }

/**
 * The Durable Object that coalesces concurrent requests for the same answer. It stores nothing. Export it from the
 * Worker and bind it; `createDurableObjectCoalescer` takes the binding.
 */
export class AnswerFlight extends DurableObject {
  readonly #flightOf = createFlights()

  /** @param address the hash of an answer key */
  async join(address: string, terms: JoinTerms): Promise<RemoteRole> {
    const flight = this.#flightOf(address)
    const role = await flight.join(terms)
    if (role.kind === 'leader') return { kind: 'leader', leader: new LeaderTarget(flight, role.leaderId) }
    return role.kind === 'follower' && role.body !== undefined ? { ...role, body: piped(role.body) } : role
  }
}

export interface DurableObjectCoalescerOptions {
  /** The binding of `AnswerFlight`. */
  readonly namespace: DurableObjectNamespace<AnswerFlight>
  /**
   * How long the leader may take to begin its answer before another waiting request tries too, milliseconds,
   * 1..600,000: slightly more than the model's timeout.
   *
   * @default 30_000
   */
  readonly leaderTimeoutMs?: number
}

/**
 * Coalesces requests across all isolates and data centres of a Worker. The SHA-256 of the answer key chooses one of
 * sixteen objects, because the first call to a new object takes up to a few hundred milliseconds, which a new question
 * must not wait for. When a leader's request is cancelled or its isolate ends, a waiting request takes its place at
 * once.
 *
 * @throws `config_invalid` when `leaderTimeoutMs` is out of range
 * @see https://developers.cloudflare.com/workers/runtime-apis/rpc/lifecycle/
 * @see https://developers.cloudflare.com/durable-objects/api/namespace/#newuniqueid
 */
export function createDurableObjectCoalescer(options: DurableObjectCoalescerOptions): Coalescer {
  requireOptions(options, { namespace: required(methods('getByName')), leaderTimeoutMs: whole(1, 600_000) })
  const { namespace, leaderTimeoutMs = LEADER_TIMEOUT_MS } = options
  return {
    leaderTimeoutMs,

    async join(key, purgeEpoch) {
      const address = await sha256Hex(key)
      // Its first hexadecimal digit names the object.
      const role = await namespace.getByName(address[0]!).join(address, { leaderTimeoutMs, purgeEpoch })
      // Both ends belong to one Worker; the RPC types do not preserve tuples.
      if (role.kind !== 'leader') return role as Exclude<Role, { kind: 'leader' }>
      const { leader } = role
      let begun: Promise<unknown> | undefined
      return {
        kind: 'leader',
        leader: {
          begin(answer, body) {
            // If the object is gone, so are its readers; `complete` is called nevertheless.
            begun = leader.begin(answer, piped(body)).catch(() => undefined)
          },
          async complete(outcome) {
            try {
              await begun
              await leader.complete(outcome)
            } catch {
              // If the object is gone, so are the requests waiting in it, which then continue on their own.
            } finally {
              leader[Symbol.dispose]()
            }
          },
        },
      }
    },
  }
}
