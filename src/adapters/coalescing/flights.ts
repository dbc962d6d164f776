import { Flight } from './flight.ts'

/** So often those that are idle are forgotten: each may hold an answer of 256 KiB. */
const SWEPT_EVERY = 100

/** @returns what gives each answer key the flight of its own */
export function createFlights(): (key: string) => Flight {
  const byKey = new Map<string, Flight>()
  return (key) => {
    const known = byKey.get(key)
    if (known !== undefined) return known
    if (byKey.size % SWEPT_EVERY === 0) for (const [name, { idle }] of byKey) if (idle) byKey.delete(name)
    const made = new Flight(() => Date.now())
    byKey.set(key, made)
    return made
  }
}
