import { expect, test } from 'vitest'
import { Flight } from '../../../src/adapters/coalescing/flight.ts'

/** A flight over a clock to move. */
function aFlight() {
  const clock = { atMs: 7_200_000 }
  return { clock, flight: new Flight(() => clock.atMs) }
}

test('an outcome is told no longer when the clock is set back after it', async () => {
  const { clock, flight } = aFlight()
  await flight.join(1000)
  flight.complete(1, 'not-stored')
  expect([flight.idle, await flight.join(1000)]).toEqual([false, { kind: 'separate' }])
  clock.atMs -= 3_600_000
  expect([flight.idle, await flight.join(1000)]).toEqual([true, { kind: 'leader', leaderId: 2 }])
})

test('a leader is replaced when the clock is set back after it began', async () => {
  const { clock, flight } = aFlight()
  await flight.join(1000)
  clock.atMs -= 3_600_000
  expect(await flight.join(1000)).toEqual({ kind: 'leader', leaderId: 2 })
})
