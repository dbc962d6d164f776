/** In the real runtime: a stale answer is sent at once, and the new one is made within `waitUntil`, from the Cache API. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { createCacheApiAnswerCache } from '../../src/adapters/cache-api-answer-cache.ts'
import { answerCache } from '../../src/cache/answer-cache.ts'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import { ragGate } from '../../src/middleware/rag-gate.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'

const LIFETIME = 60

it('is sent from the Cache API past its lifetime, and replaced after the response', async () => {
  const clock = { atMs: Date.now(), nowMs: () => clock.atMs }
  let calls = 0
  const app = new Hono<RagGateEnv>()
  app.post(
    '/ask',
    ragGate({
      policy: balanced(),
      dependencies: {
        clock,
        cache: answerCache({
          store: createCacheApiAnswerCache({ cache: () => caches.open('stale-while-revalidate') }),
          scope: 'public',
          staleWhileRevalidateSeconds: 600,
          revalidate: (request, c) => app.fetch(request, c.env, c.executionCtx),
        }),
        retriever: {
          retrieve: async () => [
            {
              kind: 'bm25',
              entries: [{ passage: aPassage('a', { text: 'The engine starts with the red key.' }), score: 9 }],
            },
          ],
        },
      },
    }),
    async (c) => {
      await scheduler.wait(50)
      return c.json({ answer: `Answer ${++calls}` }, 200, { 'cache-control': `max-age=${LIFETIME}` })
    },
  )

  async function ask(): Promise<{ response: Response; settled: () => Promise<void> }> {
    const ctx = createExecutionContext()
    const request = new Request('https://gate.test/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: 'How does the engine start with the red key?' }),
    })
    const response = await app.fetch(request, {}, ctx)
    return { response, settled: () => waitOnExecutionContext(ctx) }
  }

  const first = await ask()
  expect(await first.response.json()).toEqual({ answer: 'Answer 1' })
  await first.settled()
  clock.atMs += (LIFETIME + 30) * 1000

  const stale = await ask()
  expect(stale.response.headers.get('cache-status')).toBe('rag-gate; hit; detail=stale-while-revalidate')
  expect(await stale.response.json()).toEqual({ answer: 'Answer 1' })
  expect(calls).toBe(1)
  await stale.settled()
  expect(calls).toBe(2)

  const next = await ask()
  expect(next.response.headers.get('cache-status')).toBe('rag-gate; hit')
  expect(await next.response.json()).toEqual({ answer: 'Answer 2' })
  await next.settled()
})
