import { requireOptions, whole } from '../core/lib/options.ts'
import type { Coalescer } from '../ports/coalescer.ts'
import { LEADER_TIMEOUT_MS } from './coalescing/flight.ts'
import { createFlights } from './coalescing/flights.ts'

export interface MemoryCoalescerOptions {
  /**
   * How long the leader may take to begin the answer before a waiting caller leads too, milliseconds, 1..600,000: slightly
   * more than the time limit of the model.
   *
   * @default 30_000
   */
  readonly leaderTimeoutMs?: number
}

/**
 * Coalesces requests within one process, for Node, Deno and Bun. In Workers a request cannot wait for another; use
 * `createDurableObjectCoalescer` there.
 *
 * @throws `config_invalid` if `leaderTimeoutMs` is out of range
 */
export function createMemoryCoalescer(options: MemoryCoalescerOptions = {}): Coalescer {
  requireOptions(options, { leaderTimeoutMs: whole(1, 600_000) })
  const { leaderTimeoutMs = LEADER_TIMEOUT_MS } = options
  const flightOf = createFlights()
  return {
    leaderTimeoutMs,

    async join(key, purgeEpoch) {
      const flight = flightOf(key)
      const role = await flight.join({ leaderTimeoutMs, purgeEpoch })
      if (role.kind !== 'leader') return role
      const { leaderId } = role
      let begun: Promise<void> | undefined
      return {
        kind: 'leader',
        leader: {
          begin: (answer, body) => {
            begun = flight.begin(leaderId, answer, body)
          },
          complete: async (outcome) => {
            await begun
            flight.complete(leaderId, outcome)
          },
        },
      }
    },
  }
}
