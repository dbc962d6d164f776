import { describe, expect, it } from 'vitest'
import type { StoredAnswer } from '../../src/ports/answer-cache.ts'
import type { Coalescer, CoalescedOutcome, Leader, Role } from '../../src/ports/coalescer.ts'
import { aStoredAnswer } from '../fixtures/decision.ts'

/** So long that no leader is given up in a test that does not wait for it. */
const LONG_MS = 10_000

/** So short that a leader is given up at once. */
const SHORT_MS = 20

/** The leader. Fails the test without one. */
export function leaderOf(role: Role): Leader {
  if (role.kind !== 'leader') throw new Error(`${role.kind}, not a leader`)
  return role.leader
}

/** Lets all expected followers join, also on a busy machine. */
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))

const SEPARATE: CoalescedOutcome = { kind: 'separate' }
const FAILED: CoalescedOutcome = { kind: 'failed' }
const storedAs = (answer: StoredAnswer): CoalescedOutcome => ({ kind: 'answer', answer, isStored: true })

/** A body that is written in pieces. */
function aBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  return {
    readable,
    write: (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined),
    close: () => void writer.close().catch(() => undefined),
    fail: () => void writer.abort(new Error('reset')).catch(() => undefined),
  }
}

/** The stream that a follower reads. Fails the test if there is none. */
function readerOf(role: Role): { read: () => Promise<{ done: boolean; value?: string }>; cancel: () => Promise<void> } {
  if (role.kind !== 'follower' || role.body === undefined) throw new Error(`${role.kind}, with nothing to read along`)
  const reader = role.body.getReader()
  return {
    read: async () => {
      const { done, value } = await reader.read()
      return { done, ...(value && { value: new TextDecoder().decode(value) }) }
    },
    cancel: () => reader.cancel(),
  }
}

async function readFor(reader: ReturnType<typeof readerOf>, text: string): Promise<void> {
  let read = ''
  while (read.length < text.length) read += (await reader.read()).value ?? ' (ended)'
  expect(read).toBe(text)
}

/**
 * The contract of every coalescer.
 *
 * @param make a coalescer without followers, whose leaders have this time limit
 */
export function coalescerContract(name: string, make: (leaderTimeoutMs: number) => Coalescer): void {
  describe(`${name} fulfils the contract of a coalescer`, () => {
    let flights = 0
    const aKey = (): string => `key ${++flights} of ${name}, ümläut`

    /** A leader, and this many followers. */
    async function leaderAnd(waiting: number, leaderTimeoutMs = LONG_MS) {
      const coalescer = make(leaderTimeoutMs)
      const key = aKey()
      const join = (purgeEpoch = 0): Promise<Role> => coalescer.join(key, purgeEpoch)
      const leader = leaderOf(await join())
      const roles = Array.from({ length: waiting }, () => join())
      await pause()
      return { coalescer, key, join, leader, roles }
    }

    const kindsOf = async (roles: readonly Promise<Role>[]): Promise<readonly string[]> =>
      (await Promise.all(roles)).map(({ kind }) => kind).sort()

    it('makes one caller the leader, and gives its answer to all others', async () => {
      const { key, leader, roles } = await leaderAnd(19)
      const answer = aStoredAnswer(key, { body: '"é🗝"', headers: [['X-Note', 'one']] })
      await leader.complete(storedAs(answer))
      for (const role of await Promise.all(roles)) expect(role).toEqual({ kind: 'follower', answer })
    })

    it('keeps callers with different keys separate', async () => {
      const { coalescer, leader, roles } = await leaderAnd(1)
      const other = leaderOf(await coalescer.join(aKey(), 0))
      await other.complete(SEPARATE)
      const first = await Promise.race([roles[0], pause().then(() => 'waits')])
      expect(first).toBe('waits')
      await leader.complete(SEPARATE)
    })

    it('lets waiting and soon following callers go separately when the answer is private', async () => {
      const { join, leader, roles } = await leaderAnd(3)
      await leader.complete(SEPARATE)
      expect(await kindsOf(roles)).toEqual(['separate', 'separate', 'separate'])
      expect(await join()).toEqual({ kind: 'separate' })
    })

    it('gives the answer to callers who come just after it, if it is stored', async () => {
      for (const isStored of [true, false]) {
        const { join, key, leader, roles } = await leaderAnd(1)
        const answer = aStoredAnswer(key)
        await leader.complete({ kind: 'answer', answer, isStored })
        expect(await roles[0]).toEqual({ kind: 'follower', answer })
        expect((await join()).kind).toBe(isStored ? 'follower' : 'leader')
      }
    })

    it("lets all followers read the leader's stream, from its first chunk on and as it comes", async () => {
      const { join, key, leader, roles } = await leaderAnd(3)
      const body = aBody()
      const answer = aStoredAnswer(key, { body: '' })
      leader.begin(answer, body.readable)
      expect(await Promise.race([roles[0], pause().then(() => 'waits')])).toBe('waits')
      body.write('Turn ')
      const readers = (await Promise.all(roles)).map(readerOf)
      await Promise.all(readers.map((reader) => readFor(reader, 'Turn ')))
      body.write('the ')
      await pause()
      const late = await join()
      expect(late).toMatchObject({ kind: 'follower', answer })
      readers.push(readerOf(late))
      await Promise.all(readers.map((reader, at) => readFor(reader, at === 3 ? 'Turn the ' : 'the ')))
      // A follower that leaves takes nothing from the others.
      await readers.shift()?.cancel()
      body.write('key.')
      body.close()
      await Promise.all(readers.map((reader) => readFor(reader, 'key.')))
      for (const reader of readers) expect((await reader.read()).done).toBe(true)
      const whole = aStoredAnswer(key, { body: 'Turn the key.' })
      await leader.complete(storedAs(whole))
      expect(await join()).toEqual({ kind: 'follower', answer: whole })
    })

    it('gives a piece that is too large to be kept to those who wait, and does not let later callers wait for its end', async () => {
      const { join, key, leader, roles } = await leaderAnd(1)
      const body = aBody()
      leader.begin(aStoredAnswer(key, { body: '' }), body.readable)
      const large = 'x'.repeat(262_145)
      body.write(large)
      await readFor(readerOf(await roles[0]!), large)
      const second = join()
      expect(await Promise.race([second, pause().then(() => 'waits')])).toMatchObject({ kind: 'leader' })
      const third = join()
      body.write('its end')
      body.close()
      await leader.complete({ kind: 'ended' })
      const answer = aStoredAnswer(key)
      await leaderOf(await second).complete(storedAs(answer))
      expect(await third).toEqual({ kind: 'follower', answer })
    })

    it("ends the shared stream with an error when the leader's breaks off, and makes the next caller the leader", async () => {
      const { join, key, leader, roles } = await leaderAnd(2)
      const body = aBody()
      leader.begin(aStoredAnswer(key, { body: '' }), body.readable)
      body.write('Turn ')
      const readers = (await Promise.all(roles)).map(readerOf)
      await Promise.all(readers.map((reader) => readFor(reader, 'Turn ')))
      body.fail()
      for (const reader of readers) await expect(reader.read()).rejects.toBeInstanceOf(Error)
      await leader.complete(FAILED)
      expect((await join()).kind).toBe('leader')
    })

    it('makes another caller the leader when a body breaks off before its first chunk', async () => {
      const { key, leader, roles } = await leaderAnd(2)
      const body = aBody()
      leader.begin(aStoredAnswer(key, { body: '' }), body.readable)
      body.fail()
      await leader.complete(FAILED)
      const second = leaderOf(await Promise.race(roles))
      await second.complete(SEPARATE)
      expect(await kindsOf(roles)).toEqual(['leader', 'separate'])
    })

    it('makes another caller the leader when a leader failed, and lets the others wait for it', async () => {
      const { key, leader, roles } = await leaderAnd(3)
      await leader.complete(FAILED)
      const second = leaderOf(await Promise.race(roles))
      await second.complete(storedAs(aStoredAnswer(key)))
      expect(await kindsOf(roles)).toEqual(['follower', 'follower', 'leader'])
    })

    it('makes every waiting caller a leader after two failures, so that none waits for a third', async () => {
      const { key, join, leader, roles } = await leaderAnd(8)
      const leaders: Leader[] = []
      for (const role of roles) void role.then((taken) => taken.kind === 'leader' && leaders.push(taken.leader))
      await leader.complete(FAILED)
      await expect.poll(() => leaders.length).toBe(1)
      await leaders[0]!.complete(FAILED)
      expect(await kindsOf(roles)).toEqual(Array(8).fill('leader'))
      const later = join()
      await leaders[2]!.complete(storedAs(aStoredAnswer(key)))
      expect((await later).kind).toBe('follower')
      for (const other of leaders) await other.complete(FAILED)
      expect((await join()).kind).toBe('follower')
    })

    it('lets no caller wait forever for leaders that take too long', async () => {
      const { roles } = await leaderAnd(4, SHORT_MS)
      // How many lead before the rest proceed separately depends on when each joined: see the tests of `Flight`.
      expect(await kindsOf(roles)).not.toContain('follower')
    })

    it('makes a caller who knows of a later purge a leader, for whom others who know of it wait', async () => {
      const { key, join, leader, roles } = await leaderAnd(1)
      const second = leaderOf(await join(7))
      const knowing = join(7)
      await pause()
      await leader.complete(storedAs(aStoredAnswer(key)))
      expect(await kindsOf(roles)).toEqual(['follower'])
      expect(await Promise.race([knowing, pause().then(() => 'waits')])).toBe('waits')
      expect((await join(8)).kind).toBe('leader')
      const answer = aStoredAnswer(key, { purgeEpoch: 7 })
      await second.complete(storedAs(answer))
      expect(await knowing).toEqual({ kind: 'follower', answer })
    })

    it('ignores a second result of a leader', async () => {
      const { key, leader, roles } = await leaderAnd(1)
      const answer = aStoredAnswer(key)
      await leader.complete(storedAs(answer))
      await leader.complete(FAILED)
      expect(await roles[0]).toEqual({ kind: 'follower', answer })
    })

    it('accepts the answer of a leader that was replaced', async () => {
      const { key, join, leader } = await leaderAnd(0, SHORT_MS)
      const second = leaderOf(await join())
      const answer = aStoredAnswer(key)
      await leader.complete(storedAs(answer))
      expect(await join()).toEqual({ kind: 'follower', answer })
      await second.complete(FAILED)
      expect(await join()).toEqual({ kind: 'follower', answer })
    })
  })
}
