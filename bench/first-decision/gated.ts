/** A Worker of `npm run bench -- first-decision`: the same route behind the gate. */
import { Hono } from 'hono'
import { balanced, ragGate, type RagGateEnv } from '../../src/index.ts'
import { type Bindings, waitFor } from './bindings.ts'

const app = new Hono<RagGateEnv<Bindings>>()

app.post(
  '/',
  ragGate<Bindings>({
    policy: balanced(),
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
