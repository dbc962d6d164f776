import { describe, expect, it } from 'vitest'
import type { Coalescer, Lead, Seat } from '../../src/ports/coalescer.ts'
import { aCachedAnswer } from '../fixtures/decision.ts'

/** Long enough for nobody to be given up in a test that does not wait for it. */
const LONG_MS = 10_000

const SHORT_MS = 60

/** Who leads. Fails the test where nobody does. */
export function leadOf(seat: Seat): Lead {
  if (seat.kind !== 'leader') throw new Error(`${seat.kind}, not a leader`)
  return seat.lead
}

/** Lets everybody who was to join do so. */
const pause = (ms = 30): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * What every coalescer promises.
 *
 * @param make a coalescer in which nobody waits
 */
export function coalescerContract(name: string, make: () => Coalescer): void {
  describe(`${name} keeps the promises of a coalescer`, () => {
    let flights = 0
    const aKey = (): string => `key ${++flights} of ${name}, ümläut`

    /** A leader, and as many who wait for it. */
    async function leaderAnd(waiting: number, timeoutMs = LONG_MS) {
      const coalescer = make()
      const key = aKey()
      const lead = leadOf(await coalescer.join(key, timeoutMs))
      const seats = Array.from({ length: waiting }, () => coalescer.join(key, timeoutMs))
      await pause()
      return { coalescer, key, lead, seats }
    }

    it('lets one lead, and gives its answer to all others', async () => {
      const { key, lead, seats } = await leaderAnd(19)
      const answer = aCachedAnswer(key, { body: '"é🗝"', headers: [['X-Note', 'one']] })
      await lead.land(answer)
      for (const seat of await Promise.all(seats)) expect(seat).toEqual({ kind: 'follower', answer })
    })

    it('keeps those apart who ask under different keys', async () => {
      const { coalescer, lead, seats } = await leaderAnd(1)
      const other = leadOf(await coalescer.join(aKey(), LONG_MS))
      await other.land('not-stored')
      const first = await Promise.race([seats[0], pause().then(() => 'waits')])
      expect(first).toBe('waits')
      await lead.land('not-stored')
    })

    it('lets all go alone where the answer is its asker’s alone, and those who come soon after, too', async () => {
      const { coalescer, key, lead, seats } = await leaderAnd(3)
      await lead.land('not-stored')
      expect((await Promise.all(seats)).map(({ kind }) => kind)).toEqual(['alone', 'alone', 'alone'])
      expect(await coalescer.join(key, LONG_MS)).toEqual({ kind: 'alone' })
    })

    it('gives the answer to those who come just after it', async () => {
      const { coalescer, key, lead } = await leaderAnd(0)
      const answer = aCachedAnswer(key)
      await lead.land(answer)
      expect(await coalescer.join(key, LONG_MS)).toEqual({ kind: 'follower', answer })
    })

    it('has another one lead when a leader failed, and lets the rest wait for that', async () => {
      const { key, lead, seats } = await leaderAnd(3)
      await lead.land('failed')
      const second = leadOf(await Promise.race(seats))
      const answer = aCachedAnswer(key)
      await second.land(answer)
      const kinds = (await Promise.all(seats)).map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['follower', 'follower', 'leader'])
    })

    it('lets all go alone when the second leader failed as well, and the next one lead again', async () => {
      const { coalescer, key, lead, seats } = await leaderAnd(4)
      await lead.land('failed')
      await leadOf(await Promise.race(seats)).land('failed')
      const kinds = (await Promise.all(seats)).map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['alone', 'alone', 'alone', 'leader'])
      expect((await coalescer.join(key, LONG_MS)).kind).toBe('leader')
    })

    it('waits no longer than it is told, and has a leader replaced that takes longer', async () => {
      const { coalescer, key, seats } = await leaderAnd(2, SHORT_MS)
      expect((await Promise.all(seats)).map(({ kind }) => kind)).toEqual(['alone', 'alone'])
      expect((await coalescer.join(key, SHORT_MS)).kind).toBe('leader')
    })

    it('hears a leader once', async () => {
      const { key, lead, seats } = await leaderAnd(1)
      const answer = aCachedAnswer(key)
      await lead.land(answer)
      await lead.land('failed')
      expect(await seats[0]).toEqual({ kind: 'follower', answer })
    })

    it('still takes the answer of a leader that was replaced, and not its failure', async () => {
      const { coalescer, key, lead } = await leaderAnd(0, SHORT_MS)
      await pause(SHORT_MS)
      const second = leadOf(await coalescer.join(key, SHORT_MS))
      const waiting = coalescer.join(key, LONG_MS)
      await pause()
      await lead.land('failed')
      expect(await Promise.race([waiting, pause().then(() => 'waits')])).toBe('waits')
      const answer = aCachedAnswer(key)
      await second.land(answer)
      expect(await waiting).toEqual({ kind: 'follower', answer })
    })
  })
}
