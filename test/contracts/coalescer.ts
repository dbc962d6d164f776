import { describe, expect, it } from 'vitest'
import type { Coalescer, Leader, Role } from '../../src/ports/coalescer.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

/** Long enough for nobody to be given up in a test that does not wait for it. */
const LONG_MS = 10_000

const SHORT_MS = 60

/** Who leads. Fails the test where nobody does. */
export function leaderOf(role: Role): Leader {
  if (role.kind !== 'leader') throw new Error(`${role.kind}, not a leader`)
  return role.leader
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
      const leader = leaderOf(await coalescer.join(key, timeoutMs))
      const roles = Array.from({ length: waiting }, () => coalescer.join(key, timeoutMs))
      await pause()
      return { coalescer, key, leader, roles }
    }

    it('lets one lead, and gives its answer to all others', async () => {
      const { key, leader, roles } = await leaderAnd(19)
      const answer = aStoredAnswer(key, { body: '"é🗝"', headers: [['X-Note', 'one']] })
      await leader.complete(answer)
      for (const role of await Promise.all(roles)) expect(role).toEqual({ kind: 'follower', answer })
    })

    it('keeps those apart who ask under different keys', async () => {
      const { coalescer, leader, roles } = await leaderAnd(1)
      const other = leaderOf(await coalescer.join(aKey(), LONG_MS))
      await other.complete('not-stored')
      const first = await Promise.race([roles[0], pause().then(() => 'waits')])
      expect(first).toBe('waits')
      await leader.complete('not-stored')
    })

    it('lets all go separately where the answer is its asker’s alone, and those who come soon after, too', async () => {
      const { coalescer, key, leader, roles } = await leaderAnd(3)
      await leader.complete('not-stored')
      expect((await Promise.all(roles)).map(({ kind }) => kind)).toEqual(['separate', 'separate', 'separate'])
      expect(await coalescer.join(key, LONG_MS)).toEqual({ kind: 'separate' })
    })

    it('gives the answer to those who come just after it', async () => {
      const { coalescer, key, leader } = await leaderAnd(0)
      const answer = aStoredAnswer(key)
      await leader.complete(answer)
      expect(await coalescer.join(key, LONG_MS)).toEqual({ kind: 'follower', answer })
    })

    it('has another one lead when a leader failed, and lets the rest wait for that', async () => {
      const { key, leader, roles } = await leaderAnd(3)
      await leader.complete('failed')
      const second = leaderOf(await Promise.race(roles))
      const answer = aStoredAnswer(key)
      await second.complete(answer)
      const kinds = (await Promise.all(roles)).map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['follower', 'follower', 'leader'])
    })

    it('lets all go separately when the second leader failed as well, and the next one lead again', async () => {
      const { coalescer, key, leader, roles } = await leaderAnd(4)
      await leader.complete('failed')
      await leaderOf(await Promise.race(roles)).complete('failed')
      const kinds = (await Promise.all(roles)).map(({ kind }) => kind).sort()
      expect(kinds).toEqual(['leader', 'separate', 'separate', 'separate'])
      expect((await coalescer.join(key, LONG_MS)).kind).toBe('leader')
    })

    it('waits no longer than it is told, and has a leader replaced that takes longer', async () => {
      const { coalescer, key, roles } = await leaderAnd(2, SHORT_MS)
      expect((await Promise.all(roles)).map(({ kind }) => kind)).toEqual(['separate', 'separate'])
      expect((await coalescer.join(key, SHORT_MS)).kind).toBe('leader')
    })

    it('hears a leader once', async () => {
      const { key, leader, roles } = await leaderAnd(1)
      const answer = aStoredAnswer(key)
      await leader.complete(answer)
      await leader.complete('failed')
      expect(await roles[0]).toEqual({ kind: 'follower', answer })
    })

    it('still takes the answer of a leader that was replaced, and not its failure', async () => {
      const { coalescer, key, leader } = await leaderAnd(0, SHORT_MS)
      await pause(SHORT_MS)
      const second = leaderOf(await coalescer.join(key, SHORT_MS))
      const waiting = coalescer.join(key, LONG_MS)
      await pause()
      await leader.complete('failed')
      expect(await Promise.race([waiting, pause().then(() => 'waits')])).toBe('waits')
      const answer = aStoredAnswer(key)
      await second.complete(answer)
      expect(await waiting).toEqual({ kind: 'follower', answer })
    })
  })
}
