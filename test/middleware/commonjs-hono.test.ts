import { createRequire } from 'node:module'
import type { Hono } from 'hono'
import { expect, test } from 'vitest'
import { aGate, QUESTION } from '../fixtures/gate.ts'

test('the gate works in an application made with the CommonJS build of Hono', async () => {
  // True: the same package, built otherwise.
  const { Hono: CommonJsHono } = createRequire(import.meta.url)('hono') as { Hono: typeof Hono }
  const { gate, journal } = aGate()
  const app = new CommonJsHono()
  app.use('/v1/*', gate as never)
  app.post('/v1/ask', (c) => c.json({ answer: 'Turn it.' }))
  const response = await app.request('/v1/ask', {
    method: 'POST',
    body: JSON.stringify({ question: QUESTION }),
    headers: { 'content-type': 'application/json' },
  })
  expect([response.status, await response.json()]).toEqual([200, { answer: 'Turn it.' }])
  expect(journal.events.map(({ route }) => route)).toEqual(['/v1/*'])
})
