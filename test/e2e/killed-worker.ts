/**
 * The ready Worker with each of the decision logs, for `killed.deep.test.ts`: at `/ask` its own, at `/queued` the queue's, at
 * `/direct` the one without a buffer. The queue stands outside of the process, as Cloudflare's does; what wrangler
 * simulates would end with it.
 */
import { Hono } from 'hono'
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import { createDirectDecisionLog } from '../../src/adapters/direct-decision-log.ts'
import { createQueueDecisionLog, type QueuedDecision } from '../../packages/cloudflare/src/queue-decision-log.ts'
import { balanced, type GateDependencies, ragGate, type RagGateEnv } from '../../src/index.ts'
import type { DecisionLog } from '../../src/ports/decision-log.ts'
import { answer } from '../../workers/gate/ask/answer.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import { compositionFor } from '../../workers/gate/compose.ts'
import gate from '../../workers/gate/index.ts'

export { AnswerFlight } from '../../workers/gate/index.ts'

type Bindings = GateBindings & { readonly QUEUE_URL: string }

const LOGS: Readonly<Record<string, (env: Bindings) => DecisionLog>> = {
  '/direct': ({ DB: db }) => createDirectDecisionLog({ store: createD1DecisionStore({ db }) }),
  '/queued': ({ QUEUE_URL: url }) => createQueueDecisionLog({ queue: { send: (message) => sent(url, message) } }),
}

async function sent(url: string, message: QueuedDecision) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(message) })
  if (!response.ok) throw new Error(`The queue answered ${response.status}`)
  return { metadata: { metrics: { backlogBytes: 0, backlogCount: 0 } } }
}

const app = new Hono<RagGateEnv<Bindings>>()
for (const [path, logOf] of Object.entries(LOGS)) {
  let dependencies: GateDependencies | undefined
  const own = ragGate<Bindings>({
    policy: balanced(),
    dependencies: (env) => (dependencies ??= { ...compositionFor(env).gate, log: logOf(env) }),
  })
  app.post(path, own, answer)
}
app.all('*', (c) => gate.fetch(c.req.raw, c.env, c.executionCtx))

export default { ...gate, fetch: app.fetch } satisfies ExportedHandler<Bindings>
