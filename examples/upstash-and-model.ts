/**
 * The gate between an Upstash Vector index and a model behind an OpenAI-compatible endpoint. Refused questions never
 * reach the model; answers are cached, confident ones longer than uncertain ones.
 */
import { Hono } from 'hono'
import { balanced, ragGate, respondWithError } from 'hono-rag-gate'
import { answerCache } from 'hono-rag-gate/cache'
import { createMemoryAnswerCache } from 'hono-rag-gate/adapters/memory-answer-cache'
import { createUpstashRetriever } from '@hono-rag-gate/upstash'

type Env = {
  UPSTASH_VECTOR_REST_URL: string
  UPSTASH_VECTOR_REST_TOKEN: string
  LLM_BASE_URL: string
  LLM_API_KEY: string
  LLM_MODEL: string
}

const gate = ragGate<Env>({
  policy: balanced(),
  dependencies: (env) => ({
    retriever: createUpstashRetriever({ url: env.UPSTASH_VECTOR_REST_URL, token: env.UPSTASH_VECTOR_REST_TOKEN }),
    // Without `authenticate`, all callers share cached answers. Requests with Cookie or Authorization do not use the cache.
    cache: answerCache({ store: createMemoryAnswerCache(), scope: 'public', version: env.LLM_MODEL }),
  }),
})

const app = new Hono<{ Bindings: Env }>()
app.onError((error, c) => respondWithError(c, error))
app.post('/ask', gate, async (c) => {
  const { question, context, citations, caution, summary } = c.var.ragGate
  const response = await fetch(`${c.env.LLM_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${c.env.LLM_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: c.env.LLM_MODEL,
      messages: [
        { role: 'system', content: `Answer from these passages alone. ${caution ?? ''}\n\n${context.text}` },
        { role: 'user', content: question },
      ],
    }),
    signal: AbortSignal.timeout(20_000),
  })
  if (!response.ok) return c.json({ error: { code: 'model_failed', message: 'The model did not answer' } }, 502)
  // The response of an OpenAI-compatible endpoint.
  const { choices }: { choices: { message: { content: string } }[] } = await response.json()
  return c.json({ answer: choices[0]!.message.content, sources: citations, refused: false, ...summary })
})

export default app
