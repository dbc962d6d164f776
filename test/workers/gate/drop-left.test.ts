import { Hono } from 'hono'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dropLeft } from '../../../workers/gate/drop-left.ts'

/** Begun by the handler, by name; each stays there until all may end. */
let started: string[]
let finish: () => void
let asked: (name: string, signal?: AbortSignal) => Promise<Response>
const FIRST = ['1', '2', '3', '4']

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] })
  started = []
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const app = new Hono().use(dropLeft).get('/:name', async (c) => {
    started.push(c.req.param('name'))
    await finished
    return c.text('')
  })
  app.onError((thrown, c) => c.text(String(thrown), 499 as 500))
  asked = (name, signal) => Promise.resolve(app.request(`/${name}`, signal && { signal }))
})

afterEach(() => {
  vi.useRealTimers()
})

/** Has the runtime give the turns that are due. */
const turn = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(0))

/** Has it give the next one, 50 ms too late. */
async function lateTurn(): Promise<void> {
  vi.setSystemTime(Date.now() + 50)
  await vi.advanceTimersToNextTimerAsync()
}

it('starts nothing for a client that leaves while other requests are being computed', async () => {
  const first = FIRST.map((name) => asked(name))
  const leaving = new AbortController()
  const left = asked('left', leaving.signal)
  const stayed = asked('stayed')
  expect(started).toEqual(FIRST)
  leaving.abort(new Error('gone'))
  await turn()

  expect(await (await left).text()).toBe('Error: gone')
  expect(started).toEqual([...FIRST, 'stayed'])
  finish()
  expect((await stayed).status).toBe(200)
  await Promise.all(first)

  // Those that are over count no more: the next one waits for none.
  started.length = 0
  const alone = asked('alone')
  expect(started).toEqual(['alone'])
  await alone
})

it('does not delay requests when others wait for a slow model', async () => {
  const waiting = [...FIRST, '5'].map((name) => asked(name))
  await turn()
  expect(started).toEqual([...FIRST, '5'])
  const next = asked('next')
  await turn()
  expect(started).toEqual([...FIRST, '5', 'next'])
  finish()
  await Promise.all([...waiting, next])
})

it('waits up to twenty turns of the event loop while the turns are late', async () => {
  const first = FIRST.map((name) => asked(name))
  const stayed = asked('stayed')
  for (let late = 1; late < 20; late++) await lateTurn()
  expect(started).toEqual(FIRST)
  await lateTurn()
  expect(started).toEqual([...FIRST, 'stayed'])

  const leaving = new AbortController()
  const left = asked('left', leaving.signal)
  await lateTurn()
  leaving.abort(new Error('gone'))
  await vi.advanceTimersToNextTimerAsync()
  expect(await (await left).text()).toBe('Error: gone')
  expect(started).toHaveLength(5)
  finish()
  await Promise.all([...first, stayed])
})
