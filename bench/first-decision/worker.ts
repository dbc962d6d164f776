/** The Worker of `npm run bench:first-decision`: one route behind the gate, and the same without it. */
import { Hono } from 'hono'
import { ragGate, type Passage, type RagGateEnv } from '../../src/index.ts'

interface Bindings {
  readonly PASSAGES: readonly Passage[]
  /** How long a retrieval takes, milliseconds; 0 for none at all. */
  readonly RETRIEVAL_MS: number
}

async function waitFor(ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}

const app = new Hono<RagGateEnv<Bindings>>()

app.post('/bare', async (c) => {
  const { question } = await c.req.json<{ question: string }>()
  await waitFor(c.env.RETRIEVAL_MS)
  return c.json({ answer: question, sources: c.env.PASSAGES.map(({ id }) => id) })
})

app.post(
  '/gated',
  ragGate<Bindings>({
    dependencies: ({ PASSAGES, RETRIEVAL_MS }) => ({
      retriever: {
        retrieve: async () => {
          await waitFor(RETRIEVAL_MS)
          return [
            { kind: 'cosine', entries: PASSAGES.map((passage, at) => ({ passage, score: 0.9 - at / 20 })) },
            { kind: 'bm25', entries: PASSAGES.map((passage, at) => ({ passage, score: 20 - at })) },
          ]
        },
      },
    }),
  }),
  (c) => {
    const { question, evidence } = c.var.ragGate
    return c.json({ answer: question, sources: evidence.chunks.map(({ id }) => id) })
  },
)

export default app
