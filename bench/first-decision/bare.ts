/** A Worker of `npm run bench -- first-decision`: a route without a gate. */
import { Hono } from 'hono'
import { type Bindings, waitFor } from './bindings.ts'

const app = new Hono<{ Bindings: Bindings }>()

app.post('/', async (c) => {
  const { question } = await c.req.json<{ question: string }>()
  await waitFor(c.env.RETRIEVAL_MS)
  return c.json({ answer: question, sources: c.env.PASSAGES.map(({ id }) => id) })
})

export default app
