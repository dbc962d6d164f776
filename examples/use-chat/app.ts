/**
 * A chat with `useChat` behind the gate; its page is `page.tsx`. Refused questions do not reach a model.
 *
 * The passages are those of own-passages.ts; the model can be any OpenAI-compatible endpoint.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'
import { Hono } from 'hono'
import { balanced, ragGate, type RagGateEnv, respondWithError } from 'hono-rag-gate'
import { chatProtocol, readChat, uiMessageStream } from '@hono-rag-gate/chat'
import { retriever } from '../own-passages.ts'

type Env = { LLM_BASE_URL: string; LLM_API_KEY: string; LLM_MODEL: string }

const gate = ragGate<Env>({ policy: balanced(), dependencies: { retriever }, question: { read: readChat } })

const app = new Hono<RagGateEnv<Env>>()
app.onError((error, c) => respondWithError(c, error))
app.post('/api/chat', chatProtocol(), gate, async (c) => {
  const { question, context, caution = '' } = c.var.ragGate
  const { history } = await readChat(c)
  const model = createOpenAICompatible({ name: 'model', baseURL: c.env.LLM_BASE_URL, apiKey: c.env.LLM_API_KEY })
  const { stream } = streamText({
    model: model(c.env.LLM_MODEL),
    system: `Answer from the passages alone, and cite them like [1]. ${caution}`,
    messages: [...history, { role: 'user', content: `${context.text}\n\nQuestion: ${question}` }],
    abortSignal: c.req.raw.signal,
  })
  return uiMessageStream(c.var.ragGate, stream)
})

export default app
