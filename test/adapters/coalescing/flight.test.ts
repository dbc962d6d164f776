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

const answer = aStoredAnswer('key')
const kindsOf = (roles: readonly FlightRole[]): readonly string[] => roles.map(({ kind }) => kind).sort()
const passed = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

/** A leader with the number 1, and the roles of as many who wait for it. */
function aLeaderAnd(waiting: number) {
  const flight = new Flight(() => Date.now())
  const roles: FlightRole[] = []
  const wait = (terms = TERMS): void => void flight.join(terms).then((role) => roles.push(role))
  void flight.join(TERMS)
  for (let at = 0; at < waiting; at++) wait()
  return { flight, roles, wait, after: passed }
}

/** A body that is written piece by piece. */
function aBody() {
  const cancel = vi.fn<() => void>()
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const readable = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given), cancel })
  return {
    readable,
    cancel,
    write: async (text: string) => {
      controller.enqueue(new TextEncoder().encode(text))
      await passed(0)
    },
    close: async () => {
      controller.close()
      await passed(0)
    },
  }
}

describe('a flight', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is idle at first, and again once the outcome is no longer kept', async () => {
    const flight = new Flight(() => Date.now())
    expect(flight.idle).toBe(true)
    await flight.join(TERMS)
    expect(flight.idle).toBe(false)
    flight.complete(1, { kind: 'answer', answer, isStored: true })
    await passed(4999)
    expect([flight.idle, (await flight.join(TERMS)).kind]).toEqual([false, 'follower'])
    await passed(1)
    expect([flight.idle, (await flight.join(TERMS)).kind]).toEqual([true, 'leader'])
  })

  test('is not idle while a caller waits, though its leader is late', async () => {
    const { flight, roles, wait } = aLeaderAnd(0)
    wait({ ...TERMS, leaderTimeoutMs: 5000 })
    await passed(4999)
    expect([flight.idle, roles]).toEqual([false, []])
    await passed(1)
    expect(roles).toEqual([{ kind: 'leader', leaderId: 2 }])
  })

  test('has no leader for a caller who got the answer', async () => {
    const { flight, roles } = aLeaderAnd(1)
    flight.complete(1, { kind: 'answer', answer, isStored: false })
    await passed(2000)
    expect([kindsOf(roles), flight.idle]).toEqual([['follower'], true])
    expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 2 })
  })

  test('is next led by the caller who knows of the latest purge, the first of them', async () => {
    const flight = new Flight(() => Date.now())
    const led: number[] = []
    await flight.join({ ...TERMS, purgeEpoch: 5 })
    for (const [at, purgeEpoch] of [3, 5, 5, 4].entries())
      void flight.join({ ...TERMS, purgeEpoch }).then(({ kind }) => kind === 'leader' && led.push(at))
    flight.complete(1, { kind: 'failed' })
    await passed(0)
    expect(led).toEqual([1])
  })

  test('ignores outcome and loss of one who does not lead, and cancels the body', async () => {
    const { flight, roles } = aLeaderAnd(0)
    flight.complete(1, { kind: 'ended' })
    flight.complete(1, { kind: 'separate' })
    flight.complete(1, { kind: 'answer', answer, isStored: true })
    flight.lose(1)
    const { readable, cancel } = aBody()
    await flight.begin(1, answer, readable)
    expect(cancel).toHaveBeenCalledTimes(1)
    expect([await flight.join(TERMS), roles]).toEqual([{ kind: 'leader', leaderId: 2 }, []])
  })
})

describe('leaders that fail', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('one after the other, with another outcome between, are replaced by one caller each time', async () => {
    const { flight, roles } = aLeaderAnd(4)
    for (const [leader, kind] of [
      [1, 'failed'],
      [2, 'ended'],
      [3, 'failed'],
    ] as const) {
      flight.complete(leader, { kind })
      await passed(0)
      expect(roles).toHaveLength(leader)
    }
  })

  test('without anyone waiting do not count later', async () => {
    const { flight, roles, wait } = aLeaderAnd(0)
    flight.complete(1, { kind: 'failed' })
    await flight.join(TERMS)
    flight.complete(2, { kind: 'failed' })
    await flight.join(TERMS)
    for (let at = 0; at < 3; at++) wait()
    flight.complete(3, { kind: 'failed' })
    await passed(0)
    expect(roles).toEqual([{ kind: 'leader', leaderId: 4 }])
  })

  test('or are lost are replaced, and callers who read along get an error', async () => {
    const { flight, roles, wait } = aLeaderAnd(1)
    const { readable, write } = aBody()
    void flight.begin(1, answer, readable)
    await write('Turn ')
    const [follower] = roles
    const reader = follower?.kind === 'follower' ? follower.body!.getReader() : undefined
    expect(new TextDecoder().decode((await reader!.read()).value)).toBe('Turn ')
    flight.lose(1)
    await expect(reader!.read()).rejects.toEqual(new Error('The one who made the answer is gone'))
    expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 2 })
    for (let at = 0; at < 3; at++) wait()
    flight.lose(2)
    await passed(0)
    flight.lose(3)
    await passed(0)
    expect(roles.slice(1)).toEqual([
      { kind: 'leader', leaderId: 3 },
      { kind: 'leader', leaderId: 4 },
    ])
  })

  test('give no caller a body that begins after that', async () => {
    const { flight, roles } = aLeaderAnd(2)
    const { readable, write } = aBody()
    void flight.begin(1, answer, readable)
    flight.complete(1, { kind: 'failed' })
    await write('Turn ')
    expect(roles).toEqual([{ kind: 'leader', leaderId: 2 }])
  })
})

describe('a shared body', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const piecesOf = async (role: FlightRole | undefined): Promise<readonly string[]> => {
    const body = role?.kind === 'follower' ? role.body! : []
    const pieces: string[] = []
    for await (const piece of body) pieces.push(new TextDecoder().decode(piece))
    return pieces
  }

  test('of the size of the largest stored answer is kept for later callers, without empty pieces', async () => {
    const { flight, roles } = aLeaderAnd(1)
    const { readable, write, close } = aBody()
    void flight.begin(1, answer, readable)
    const whole = 'x'.repeat(262_144)
    await write(whole)
    await write('')
    const late = await flight.join(TERMS)
    await close()
    expect([await piecesOf(roles[0]), await piecesOf(late)]).toEqual([[whole], [whole]])
  })

  test('that ended is given to no further caller, who waits for the outcome', async () => {
    const { flight, roles, wait } = aLeaderAnd(0)
    const { readable, write, close } = aBody()
    void flight.begin(1, answer, readable)
    await write('Turn the key.')
    await close()
    wait()
    await passed(0)
    expect(roles).toEqual([])
    flight.complete(1, { kind: 'answer', answer, isStored: true })
    await passed(0)
    expect(roles).toEqual([{ kind: 'follower', answer }])
  })

  test('that became too large is given to no further caller, also not to one who waits for another answer', async () => {
    const { flight, roles, wait } = aLeaderAnd(0)
    const { readable, write } = aBody()
    void flight.begin(1, answer, readable)
    await write('x'.repeat(262_145))
    expect(await flight.join(TERMS)).toEqual({ kind: 'leader', leaderId: 2 })
    wait()
    await write('its end')
    expect(roles).toEqual([])
  })
})

describe('leaders that take too long', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

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
