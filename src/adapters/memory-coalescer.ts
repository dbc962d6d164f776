import type { Coalescer } from '../ports/coalescer.ts'
import { Flight } from './coalescing/flight.ts'

/** Flights known before those that ended are forgotten. */
const SWEPT_FROM = 1000

/**
 * Coalesces within one process: for Node, Deno and Bun. In Workers a request cannot wait for another one; there
 * `createDurableObjectCoalescer` does it.
 */
export function createMemoryCoalescer(): Coalescer {
  const flights = new Map<string, Flight>()

  function flightOf(key: string): Flight {
    const known = flights.get(key)
    if (known !== undefined) return known
    if (flights.size >= SWEPT_FROM) for (const [name, { idle }] of flights) if (idle) flights.delete(name)
    const made = new Flight(() => Date.now())
    flights.set(key, made)
    return made
  }

  return {
    async join(key, timeoutMs) {
      const flight = flightOf(key)
      const role = await flight.join(timeoutMs)
      if (role.kind !== 'leader') return role
      return { kind: 'leader', leader: { complete: async (outcome) => flight.complete(role.leaderId, outcome) } }
    },
  }
}
