/** The ready Worker, which also records decisions made up by a test, such as past ones. Served by `alerts.deep.test.ts`. */
import { createD1DecisionStore } from '../../src/adapters/d1/decision-store.ts'
import type { NumberedEvent } from '../../src/ports/decision-log.ts'
import type { GateBindings } from '../../workers/gate/bindings.ts'
import gate from '../../workers/gate/index.ts'

export { AnswerFlight } from '../../workers/gate/index.ts'

export default {
  ...gate,
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== '/record') return gate.fetch(request, env, context)
    await createD1DecisionStore({ db: env.DB }).write(await request.json<NumberedEvent[]>())
    return new Response()
  },
} satisfies ExportedHandler<GateBindings>
