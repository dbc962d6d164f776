import { expect, test } from 'vitest'
import { Flight } from '../../../src/adapters/coalescing/flight.ts'

const TERMS = { leaderTimeoutMs: 1000, purgeEpoch: 0 }

/** A flight over a clock to move. */
function aFlight() {
  const clock = { atMs: 7_200_000 }
  return { clock, flight: new Flight(() => clock.atMs) }
}

test('an outcome is told no longer when the clock is set back after it', async () => {
  const { clock, flight } = aFlight()
  await flight.join(TERMS)
  flight.complete(1, { kind: 'separate' })
  expect([flight.idle, await flight.join(TERMS)]).toEqual([false, { kind: 'separate' }])
  clock.atMs -= 3_600_000
  expect([flight.idle, await flight.join(TERMS)]).toEqual([true, { kind: 'leader', leaderId: 2 }])
})

test('a leader is replaced when the clock is set back after it began', async () => {
  const { clock, flight } = aFlight()
  await flight.join(TERMS)
  clock.atMs -= 3_600_000
  expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 2 })
})
