/** A route without a gate, and the same answers from the gate's caches. Served by `../cache-hits.ts`. */
import { type Context, Hono } from 'hono'
import { createCacheApiAnswerCache } from '../../packages/cloudflare/src/cache-api-answer-cache.ts'
import { createMemoryAnswerCache } from '../../src/adapters/memory-answer-cache.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import { isCredential } from '../../src/cache/cache-use.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import type { AnswerCache } from '../../src/ports/answer-cache.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

const app = new Hono()

/** The response of every route. */
const answer = (c: Context): Response => c.json({ answer: 'Turn the red key.', sources: [{ id: 'a', title: 'Start' }] })

async function bare(c: Context): Promise<Response> {
  await c.req.json<{ question: string }>()
  return answer(c)
}
app.post('/bare', bare)
app.post('/bare-twin', bare)

/** The minimum that any gate needs, by hand: a deadline for the body, authentication, and headers about the answer. */
app.post('/floor', async (c) => {
  const timer = setTimeout(() => undefined, 10_000)
  const { headers } = c.req.raw
  for (const name of ['content-type', 'content-length', 'content-encoding', 'cache-control']) headers.get(name)
  for (const name of headers.keys()) isCredential(name)
  await c.req.json<{ question: string }>()
  clearTimeout(timer)
  const response = answer(c)
  response.headers.set('rag-gate', `pass;band=high;reason=passed;policy="balanced@0123";id="${crypto.randomUUID()}"`)
  response.headers.set('cache-status', 'rag-gate; hit')
  response.headers.set('age', '1')
  response.headers.set('server-timing', 'total;dur=0')
  response.headers.set('cache-control', 'private, no-store')
  return response
})

/** A gate whose retriever throws when called a second time, since that would not be a cache hit. */
function gate(store: AnswerCache): ReturnType<typeof ragGate> {
  let retrievals = 0
  return ragGate({
    policy: balanced(),
    dependencies: {
      cache: answerCache({ store, scope: 'public' }),
      retriever: {
        async retrieve() {
          if (retrievals++ > 0) throw new Error('a hit retrieves nothing')
          const passage = { id: 'a', documentId: 'a', text: 'The engine starts with the red key.' }
          return [{ kind: 'bm25', entries: [{ passage, score: 9 }] }]
        },
      },
    },
  })
}
app.post('/hit-memory', gate(createMemoryAnswerCache()), answer)
app.post(
  '/hit-cache-api',
  // A read that is late under load would count as a miss.
  gate(createCacheApiAnswerCache({ cache: () => caches.open('bench-answers'), deadlineMs: 10_000 })),
  answer,
)

export default app
