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
 * The Durable Object in which those who ask the same at the same time meet. It stores nothing. Export it from the Worker, and
 * bind it; `createDurableObjectCoalescer` takes the binding.
 */
export class AnswerFlight extends DurableObject {
  readonly #flightOf = createFlights()

  /** @param address stands for an answer key */
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
   * How long the one who makes the answer may take to begin it before one more of those who wait tries, milliseconds,
   * 1..600,000: a little more than the time limit of the model.
   *
   * @default 30_000
   */
  readonly leaderTimeoutMs?: number
}

/**
 * Coalesces across all isolates and data centres of a Worker. The SHA-256 of an answer key says in which of sixteen objects its
 * askers meet: the first call to an object of a new name takes up to a few hundred milliseconds, and no question should wait
 * for that because it is new. A leader whose request was cancelled, or whose isolate is gone, is lost at once, and one of
 * those who wait takes its place.
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
      // Its first hexadecimal digit.
      const role = await namespace.getByName(address[0]!).join(address, { leaderTimeoutMs, purgeEpoch })
      // True because both ends are of one Worker; the types of calls between them lose that pairs are pairs.
      if (role.kind !== 'leader') return role as Exclude<Role, { kind: 'leader' }>
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
