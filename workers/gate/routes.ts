/** The Worker's own routes with their handlers. `api/` describes them; a test compares the two. */
import type { Handler, MiddlewareHandler } from 'hono'
import { answer } from './ask/answer.ts'
import { feedbackHeader, limitRequests } from '@hono-rag-gate/console'
import { mcpEndpoint, toolEndpoint } from '@hono-rag-gate/mcp'
import { agentToolsFor } from './agent-tools.ts'
import { tellCost } from './ask/cost-line.ts'
import { answerForm } from './ask/form.ts'
import type { GateBindings } from './bindings.ts'
import { deleteDocuments } from './documents/delete-documents.ts'
import { listCollections, listDocuments } from './documents/list-documents.ts'
import { postDocuments } from './documents/post-documents.ts'
import { answerChat } from './chat/answer-chat.ts'
import { checkRequest } from './chat/completion-request.ts'
import { listModels } from './chat/list-models.ts'
import { compositionFor } from './compose.ts'
import { chatGate, gate } from './gate.ts'
import { health } from './health.ts'
import { deleteKey, listKeys, postKey } from './keys.ts'
import { putCollectionPolicy, putTenantPolicy } from './policies/choose-policy.ts'
import { listPolicies, pushPolicy } from './policies/push-policy.ts'
import { postJudgement } from './post-judgement.ts'
import { purgeCache } from './purge-cache.ts'

type Serving = Handler<{ Bindings: GateBindings }> | MiddlewareHandler<{ Bindings: GateBindings }>

const limited: Serving = limitRequests<GateBindings>(compositionFor)
const signedAnswers = feedbackHeader<GateBindings>((env) => compositionFor(env).console)

/** Handlers of `/ask`. The gate sets what `answer` reads. */
const ASKED: readonly Serving[] = [
  limited,
  signedAnswers,
  answerForm,
  tellCost,
  gate as unknown as Serving,
  answer as unknown as Serving,
]

/** Method, path pattern of Hono, and handlers in order. */
export const ROUTES: readonly (readonly [method: string, path: string, ...serving: Serving[]])[] = [
  ['POST', '/ask', ...ASKED],
  ['QUERY', '/ask', ...ASKED],
  [
    'POST',
    '/v1/chat/completions',
    signedAnswers,
    limited,
    checkRequest,
    tellCost,
    chatGate as unknown as Serving,
    answerChat as unknown as Serving,
  ],
  ['GET', '/v1/models', listModels],
  ['GET', '/v1/models/:id{.+}', listModels],
  ['POST', '/mcp', limited, mcpEndpoint(agentToolsFor)],
  ['POST', '/v1/tools/search', limited, toolEndpoint(agentToolsFor, 'search')],
  [
    'POST',
    '/v1/tools/assess_retrieval_confidence',
    limited,
    toolEndpoint(agentToolsFor, 'assess_retrieval_confidence'),
  ],
  ['POST', '/v1/judgements', postJudgement as unknown as Serving],
  ['POST', '/v1/documents', limited, postDocuments],
  ['GET', '/v1/documents', listDocuments],
  ['DELETE', '/v1/documents', deleteDocuments],
  ['GET', '/v1/collections', listCollections],
  ['PUT', '/v1/collections/:id/policy', putCollectionPolicy],
  ['PUT', '/v1/policy', putTenantPolicy],
  ['GET', '/v1/policies/pushed', listPolicies],
  ['PUT', '/v1/policies/pushed', pushPolicy],
  ['POST', '/v1/keys', postKey],
  ['GET', '/v1/keys', listKeys],
  ['DELETE', '/v1/keys/:id', deleteKey],
  ['POST', '/v1/cache/purge', purgeCache],
  ['GET', '/health', health],
]
