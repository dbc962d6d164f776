import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Flight, type FlightRole } from '../../../src/adapters/coalescing/flight.ts'
import { aStoredAnswer } from '../../fixtures/decision.ts'

const TERMS = { leaderTimeoutMs: 1000, purgeEpoch: 0 }

/** A flight over a clock to move. */
function aFlight() {
  const clock = { atMs: 7_200_000 }
  return { clock, flight: new Flight(() => clock.atMs) }
}

test('an outcome is no longer returned when the clock is set back after it', async () => {
  const { clock, flight } = aFlight()
  await flight.join(TERMS)
  flight.complete(1, { kind: 'separate' })
  expect([flight.idle, await flight.join(TERMS)]).toEqual([false, { kind: 'separate' }])
  clock.atMs -= 3_600_000
  expect([flight.idle, await flight.join(TERMS)]).toEqual([true, { kind: 'leader', leaderId: 2 }])
})

test('a leader is replaced when the clock was set back after it began', async () => {
  const { clock, flight } = aFlight()
  await flight.join(TERMS)
  clock.atMs -= 3_600_000
  expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 2 })
})

describe('leaders that take too long', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const answer = aStoredAnswer('key')
  const kindsOf = (roles: readonly FlightRole[]): readonly string[] => roles.map(({ kind }) => kind).sort()

  /** A leader with the number 1, and as many who wait for it. */
  function aLeaderAnd(waiting: number) {
    const flight = new Flight(() => Date.now())
    const roles: FlightRole[] = []
    void flight.join(TERMS)
    for (let at = 0; at < waiting; at++) void flight.join(TERMS).then((role) => roles.push(role))
    return { flight, roles, after: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }

  test('get a second leader, and the other callers wait for either leader', async () => {
    const { flight, roles, after } = aLeaderAnd(4)
    await after(999)
    expect(roles).toEqual([])
    await after(1)
    expect(roles).toEqual([{ kind: 'leader', leaderId: 2 }])
    await after(999)
    expect(roles).toHaveLength(1)
    flight.complete(1, { kind: 'answer', answer, isStored: true })
    await after(0)
    expect(kindsOf(roles)).toEqual(['follower', 'follower', 'follower', 'leader'])
  })

  test('keep a caller waiting for at most two leaders', async () => {
    const { flight, roles, after } = aLeaderAnd(4)
    await after(2000)
    expect(kindsOf(roles)).toEqual(['leader', 'separate', 'separate', 'separate'])
    expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 3 })
  })

  test('are ignored when they fail after being replaced', async () => {
    const { flight, after } = aLeaderAnd(0)
    await after(1000)
    expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 2 })
    const waiting = flight.join(TERMS)
    flight.complete(1, { kind: 'failed' })
    expect(await Promise.race([waiting, after(500).then(() => 'waits')])).toBe('waits')
    flight.complete(2, { kind: 'answer', answer, isStored: true })
    expect(await waiting).toEqual({ kind: 'follower', answer })
  })
})
