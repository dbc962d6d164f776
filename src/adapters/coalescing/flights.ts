import { Flight } from './flight.ts'

/** Number of flights after which idle ones are removed, because each may hold an answer of 256 KiB. */
const SWEPT_EVERY = 10

/** @returns a function that gives the flight of an answer key */
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
