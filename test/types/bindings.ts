/** What a Worker binds is what the adapters take: compiled, never run. */
import { reranking } from '../../src/pipeline/reranking.ts'
import type { Ai, ExportedHandler, Queue, Vectorize } from '@cloudflare/workers-types'
import {
  createDecisionConsumer,
  createQueueDecisionLog,
  type QueuedDecision,
} from '../../packages/cloudflare/src/index.ts'
import type { Generator } from '../../packages/models/src/index.ts'
import { createOpenAiGenerator } from '../../packages/models/src/openai-compatible.ts'
import { workersAiEndpoint } from '../../packages/models/src/workers-ai-endpoint.ts'
import { createVectorizeRetriever } from '../../packages/vectorize/src/index.ts'
import { createWorkersAiEmbedder } from '../../packages/models/src/workers-ai-embedder.ts'
import { createWorkersAiReranker } from '../../packages/models/src/workers-ai-reranker.ts'
import type { GateDependencies } from '../../src/middleware/dependencies.ts'
import type { DecisionLog } from '../../src/ports/index.ts'

export const writer = (env: { AI: Ai }): Generator =>
  createOpenAiGenerator({ ...workersAiEndpoint(env.AI), model: '@cf/a/b' })

export function connect(env: { AI: Ai; INDEX: Vectorize }): Pick<GateDependencies, 'retriever' | 'reranker'> {
  const embedder = createWorkersAiEmbedder({ ai: env.AI })
  return {
    retriever: createVectorizeRetriever({ index: env.INDEX, embedder, metric: 'cosine' }),
    reranker: reranking(createWorkersAiReranker({ ai: env.AI })),
  }
}

export const queued = (env: { DECISIONS: Queue<QueuedDecision> }): DecisionLog =>
  createQueueDecisionLog({ queue: env.DECISIONS })

export const consumer = {
  queue: createDecisionConsumer({ store: () => ({ write: async () => undefined }) }),
} satisfies ExportedHandler<unknown, QueuedDecision>
