import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { RagGateEnv } from '../../src/index.ts'
import { aGate, QUESTION } from '../fixtures/gate.ts'

it('a HEAD request for a stream cancels the model call, and the decision is recorded', async () => {
  const { gate, journal } = aGate({ question: { read: () => QUESTION } })
  let cancelled = false
  const app = new Hono<RagGateEnv>()
  app.get('/ask', gate, () => {
    const stream = new ReadableStream({ cancel: () => void (cancelled = true) })
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  })
  const response = await app.request('/ask', { method: 'HEAD' })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  expect(response.headers.get('rag-gate')).toMatch(/^pass/)
  await new Promise((resolve) => setTimeout(resolve))
  expect(cancelled).toBe(true)
  expect(journal.events).toHaveLength(1)
  expect(journal.stored).toEqual([])
})

it('a HEAD request gets the stored answer to the GET, without its body', async () => {
  const { gate, journal } = aGate({ question: { read: (c) => c.req.query('q') ?? '' } })
  const app = new Hono<RagGateEnv>()
  app.get('/ask', gate, (c) => c.json({ answer: 'Turn the red key.' }))
  const path = `/ask?q=${encodeURIComponent(QUESTION)}`
  await app.request(path)
  await new Promise((resolve) => setTimeout(resolve))
  const response = await app.request(path, { method: 'HEAD' })
  expect([response.headers.get('cache-status'), await response.text()]).toEqual(['rag-gate; hit', ''])
  expect(journal.events.map(({ cache }) => cache)).toEqual(['miss', 'hit'])
})
