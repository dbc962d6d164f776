/** The ready Worker with an extra route, whose handler forwards the model's stream. Served by `model-faults.test.ts`. */
import { Hono } from 'hono'
import type { RagGateEnv } from '../../src/middleware/gate-context.ts'
import { balanced, ragGate } from '../../src/index.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import { compositionFor } from '../../workers/gate/compose.ts'
import gate from '../../workers/gate/index.ts'

export { AnswerFlight } from '../../workers/gate/index.ts'

const STREAM_IDLE_TIMEOUT_MS = 1500

const streaming = new Hono<RagGateEnv<GateBindings>>()
streaming.post(
  '/stream',
  ragGate<GateBindings>({
    policy: balanced(),
    dependencies: (env) => compositionFor(env).gate,
    answer: { streamIdleTimeoutMs: STREAM_IDLE_TIMEOUT_MS },
  }),
  async ({ env, var: { ragGate: gated } }) => {
    const { body } = await fetch(`${env.LLM_BASE_URL}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: gated.question }] }),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  },
)

export default {
  ...gate,
  fetch: (request, env, context) =>
    new URL(request.url).pathname === '/stream'
      ? streaming.fetch(request, env, context)
      : gate.fetch(request, env, context),
} satisfies ExportedHandler<GateBindings>
