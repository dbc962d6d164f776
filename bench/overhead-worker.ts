/** The same question route with and without the gate, for comparison in one run. Served by `overhead.ts`. */
import { type Context, Hono } from 'hono'
import { createBufferedDecisionLog } from '../src/adapters/buffered-decision-log.ts'
import { createCacheApiAnswerCache } from '../packages/cloudflare/src/cache-api-answer-cache.ts'
import { createMemoryAnswerCache } from '../src/adapters/memory-answer-cache.ts'
import { buildContext } from '../src/core/evidence/context.ts'
import { fuse } from '../src/core/evidence/fusion.ts'
import { idfMass } from '../src/core/text/lexicon.ts'
import { namespaceOf } from '../src/core/lib/ids.ts'
import type { GateDependencies } from '../src/middleware/dependencies.ts'
import { answerCache } from '../src/cache/answer-cache.ts'
import { ragGate } from '../src/middleware/rag-gate.ts'
import type { DecisionStore } from '../src/ports/decision-log.ts'
import { balanced } from '../src/presets/balanced/balanced.ts'
import { answer } from '../workers/gate/ask/answer.ts'
import { searchAnswer } from '../workers/gate/ask/search-answer.ts'
import type { GateBindings } from '../workers/gate/bindings.ts'
import { compositionFor } from '../workers/gate/compose.ts'
import { postDocuments } from '../workers/gate/documents/post-documents.ts'
import { terms } from '../src/language/english/terms.ts'

export { AnswerFlight } from '../packages/cloudflare/src/durable-object-coalescer.ts'

type Bindings = { Bindings: GateBindings }

const app = new Hono<Bindings>()
app.post('/v1/documents', postDocuments)

/** The floor: parses and writes JSON. */
app.post('/json', async (c) => {
  const { question } = await c.req.json<{ question: string }>()
  return c.json({ answer: question, sources: [] })
})

/** What people write without a gate: retrieve, fuse, and answer every question, whether anything was found or not. */
async function handWritten(c: Context<Bindings>): Promise<Response> {
  const { question } = await c.req.json<{ question: string }>()
  const { gate, ingest } = compositionFor(c.env)
  const collection = await ingest.collections.find('default', 'default')
  const lexicon = await ingest.collections.lexicon(collection?.lexiconId ?? '')
  const rankings = await gate.retriever.retrieve({
    tenant: 'default',
    collection: 'default',
    namespace: namespaceOf('default', 'default'),
    question,
    topK: 10,
    signal: AbortSignal.timeout(3000),
  })
  const { chunks } = fuse(rankings, { idfMass: idfMass(lexicon, terms(question)), topK: 10 })
  const context = buildContext(chunks, { maxLength: 12_000 })
  return c.json({
    ...searchAnswer(context),
    sources: context.chunks.map(({ id, documentId }) => ({ id, document_id: documentId })),
  })
}
app.post('/hand-written', handWritten)
app.post('/hand-written-twin', handWritten)

const dependenciesOf =
  (parts: (all: GateDependencies) => GateDependencies) =>
  (env: GateBindings): GateDependencies =>
    parts(compositionFor(env).gate)

/** The gate alone, without cache and recording. */
const bare = ({ retriever, collections }: GateDependencies): GateDependencies => ({
  retriever,
  ...(collections && { collections }),
})
const memory = answerCache({ store: createMemoryAnswerCache(), scope: 'public' })
const cacheApi = answerCache({
  store: createCacheApiAnswerCache({ cache: () => caches.open('bench-answers') }),
  scope: 'public',
})

app.post('/gated', ragGate<GateBindings>({ policy: balanced(), dependencies: dependenciesOf(bare) }), answer)
app.post('/gated-twin', ragGate<GateBindings>({ policy: balanced(), dependencies: dependenciesOf(bare) }), answer)
app.post(
  '/gated-recorded',
  ragGate<GateBindings>({
    policy: balanced(),
    dependencies: dependenciesOf((all) => ({ ...bare(all), ...(all.log && { log: all.log }) })),
  }),
  answer,
)
/** A D1 that takes five seconds for every batch of decisions. */
const slow: DecisionStore = { write: () => scheduler.wait(5_000) }
app.post(
  '/gated-slow-log',
  ragGate<GateBindings>({
    policy: balanced(),
    dependencies: dependenciesOf((all) => ({ ...bare(all), log: createBufferedDecisionLog({ store: slow }) })),
  }),
  answer,
)
app.post(
  '/hit-memory',
  ragGate<GateBindings>({
    policy: balanced(),
    dependencies: dependenciesOf((all) => ({ ...bare(all), cache: memory })),
  }),
  answer,
)
app.post(
  '/hit-cache-api',
  ragGate<GateBindings>({
    policy: balanced(),
    dependencies: dependenciesOf((all) => ({ ...bare(all), cache: cacheApi })),
  }),
  answer,
)

export default app
