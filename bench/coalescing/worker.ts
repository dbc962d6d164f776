/** A gate in front of a model, in one of several isolates that share a Durable Object. Served by `../coalescing.ts`. */
import { Hono } from 'hono'
import {
  type AnswerFlight,
  createDurableObjectCoalescer,
} from '../../packages/cloudflare/src/durable-object-coalescer.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

export { AnswerFlight } from '../../packages/cloudflare/src/durable-object-coalescer.ts'

interface Bindings {
  readonly FLIGHTS: DurableObjectNamespace<AnswerFlight>
  readonly MODEL_URL: string
  /** The isolates, bound in the Worker that distributes requests. */
  readonly FIRST?: Fetcher
  readonly SECOND?: Fetcher
}

const store = createMemoryAnswerCache()

const gate = (coalesced: boolean) =>
  ragGate<Bindings>({
    policy: balanced(),
    dependencies: ({ FLIGHTS: namespace }) => ({
      cache: answerCache({
        store,
        scope: 'public',
        ...(coalesced ? { coalescer: createDurableObjectCoalescer({ namespace }) } : {}),
      }),
      retriever: {
        async retrieve() {
          const passage = { id: 'a', documentId: 'a', text: 'The engine starts with the red key.' }
          return [{ kind: 'bm25', entries: [{ passage, score: 9 }] }]
        },
      },
    }),
  })

const app = new Hono<{ Bindings: Bindings }>()
app.use(async (c, next) => {
  const { FIRST, SECOND } = c.env
  const isolate = c.req.query('isolate') === '1' ? SECOND : FIRST
  // Both are bound in the distributing Worker.
  return isolate === undefined ? next() : isolate.fetch(c.req.raw)
})
for (const [path, coalesced] of [
  ['/coalesced', true],
  ['/separate', false],
] as const) {
  app.post(path, gate(coalesced), (c) => fetch(c.env.MODEL_URL + new URL(c.req.url).search))
}

export default app
