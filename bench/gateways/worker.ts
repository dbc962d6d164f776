/** A bare proxy, a plain route, and the gate before the same proxy, in a custom app. Served by `../gateways.ts`. */
import { Hono } from 'hono'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

interface Bindings {
  readonly MODEL_URL: string
}

const app = new Hono<{ Bindings: Bindings }>()
const toModel = (model: string, stream: boolean): Promise<Response> =>
  fetch(`${model}/chat/completions`, { method: 'POST', body: JSON.stringify({ stream }) })

app.post('/bare', async (c) => {
  const { stream = false } = await c.req.json<{ stream?: boolean }>()
  return toModel(c.env.MODEL_URL, stream)
})
app.post('/answered', async (c) => {
  await c.req.json()
  return c.json({ answer: 'A day [1].' })
})
app.post(
  '/gated',
  ragGate<Bindings>({
    policy: balanced(),
    dependencies: {
      cache: answerCache({ store: createMemoryAnswerCache(), scope: 'public' }),
      retriever: {
        async retrieve() {
          const passage = {
            id: 'a',
            documentId: 'a',
            text: 'How long is a strong answer kept in the cache of a gate: a day.',
          }
          return [{ kind: 'bm25', entries: [{ passage, score: 9 }] }]
        },
      },
    },
  }),
  async (c) => toModel(c.env.MODEL_URL, (await c.req.json<{ stream?: boolean }>()).stream ?? false),
)

export default app
