import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { dropLeft } from '../../../workers/gate/drop-left.ts'

it('starts nothing for a client that leaves while others are at work', async () => {
  const started: string[] = []
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const app = new Hono().use(dropLeft).get('/:name', async (c) => {
    started.push(c.req.param('name'))
    await finished
    return c.text('')
  })
  app.onError((thrown, c) => c.text(String(thrown), 499 as 500))
  const asked = (name: string, signal?: AbortSignal): Promise<Response> =>
    Promise.resolve(app.request(`/${name}`, signal && { signal }))
  const first = ['1', '2', '3', '4'].map((name) => asked(name))
  const leaving = new AbortController()
  const left = asked('left', leaving.signal)
  const stayed = asked('stayed')
  leaving.abort(new Error('gone'))

  expect(await (await left).text()).toBe('Error: gone')
  finish()
  expect((await stayed).status).toBe(200)
  await Promise.all(first)
  expect(started).toEqual(['1', '2', '3', '4', 'stayed'])

  // Those that are over count no more: the next one waits for none.
  started.length = 0
  const alone = asked('alone')
  expect(started).toEqual(['alone'])
  await alone
})
