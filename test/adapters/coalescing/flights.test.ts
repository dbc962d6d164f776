import { afterEach, expect, test, vi } from 'vitest'
import { createFlights } from '../../../src/adapters/coalescing.ts'

const TERMS = { leaderTimeoutMs: 1000, purgeEpoch: 0 }

afterEach(() => void vi.useRealTimers())

test('each key has its own flight, and only idle ones are removed, at the latest after ten others', async () => {
  vi.useFakeTimers()
  const flightOf = createFlights()
  const held = flightOf('held')
  await held.join({ ...TERMS, leaderTimeoutMs: 60_000 })
  const ended = flightOf('ended')
  await ended.join(TERMS)
  ended.complete(1, { kind: 'separate' })
  for (let at = 0; at < 7; at++) await flightOf(`key ${at}`).join(TERMS)
  expect([flightOf('held'), flightOf('ended')]).toEqual([held, ended])
  vi.advanceTimersByTime(6000)
  flightOf('the tenth')
  flightOf('one more')
  expect(flightOf('held')).toBe(held)
  expect(flightOf('ended')).not.toBe(ended)
})
