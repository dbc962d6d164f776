/** A bare route of Hono, which reads the same questions and asks the same model: what floods cost the runtime without a gate. */
import { Hono } from 'hono/tiny'

export { AnswerFlight } from '@hono-rag-gate/cloudflare/durable-object-coalescer'

interface Bindings {
  readonly LLM_BASE_URL: string
  readonly ASSETS: { readonly fetch: typeof fetch }
}

const app = new Hono<{ Bindings: Bindings }>()
app.post('*', async (c) => {
  const asked = await c.req.json<{ readonly stream?: boolean }>()
  if (asked.stream !== true) return c.json({ answer: 'It does.', verdict: 'pass' })
  const init = { method: 'POST', body: JSON.stringify(asked) }
  const { body } = await fetch(`${c.env.LLM_BASE_URL}/chat/completions`, init)
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
})
app.get('*', (c) => c.env.ASSETS.fetch(c.req.raw))
export default app
