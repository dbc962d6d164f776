/** Composes the Worker: together with `engines.ts` chooses adapters by bindings and settings. */
import {
  countedDatabase,
  type AnswerTokens,
  type ApiKeys,
  createAnswerTokens,
  createBearerAuthenticator,
  createD1ApiKeys,
  createBindingRateLimiter,
  createD1DocumentBudget,
  createD1Policies,
  createD1TokenBudget,
  createMemoryRateLimiter,
  limitWrongTokens,
  type RateLimiter,
  type DocumentBudget,
  type TokenBudget,
  type ConsoleOptions,
  type ConsoleParts,
  openConsole,
  type Policies,
} from '@hono-rag-gate/console'
import { waitUntil } from 'cloudflare:workers'
import { answerJudge } from 'hono-rag-gate/answers'
import { type AnswerCacheFault, createCacheApiAnswerCache } from '@hono-rag-gate/cloudflare'
import { createD1AnswerPurges } from 'hono-rag-gate/adapters/d1'
import { createD1Collections } from '@hono-rag-gate/ingest/d1'
import { createD1IdempotencyStore, type IdempotencyStore } from '@hono-rag-gate/ingest/idempotency'
import { createDurableObjectCoalescer } from '@hono-rag-gate/cloudflare/durable-object-coalescer'
import { createMarkdownSplitter, htmlToMarkdown } from '@hono-rag-gate/ingest/markdown'
import { createKvAnswerCache } from '@hono-rag-gate/cloudflare'
import { createMemoryAnswerCache } from 'hono-rag-gate/adapters/memory-answer-cache'
import { OPENAI_PROMPT_VERSION } from '@hono-rag-gate/models/openai-compatible'
import { createTieredAnswerCache } from 'hono-rag-gate/adapters/tiered-answer-cache'
import { answerCache, type AnswerCacheOptions } from 'hono-rag-gate/cache'
import { type GateDependencies, type RagGateOptions, reranking, type RerankingOptions } from 'hono-rag-gate'
import type { AnswerOptions } from 'hono-rag-gate/middleware'
import type { IngestPorts } from '@hono-rag-gate/ingest'
import type { Generator } from '@hono-rag-gate/models'
import type { AnswerCache, AnswerPurges, Authenticate, DecisionLog, Principal, Reranker } from 'hono-rag-gate/ports'
import { oncePer } from 'hono-rag-gate/core/lib'
import { questionHmac } from 'hono-rag-gate/pipeline'
import { SEARCH } from './ask/search-answer.ts'
import type { GateBindings } from './bindings.ts'
import {
  type Given,
  generatorFor,
  givenBy,
  languageModels,
  rerankerFor,
  rerankingOptions,
  searchEngine,
} from './engines.ts'
import { readLanguage } from './language.ts'
import { policyFor } from './policies/policy-for.ts'
import { numberIn, requireSettings } from './settings.ts'
import { consoleOptions } from './statistics/console-options.ts'
import { createFaultCounter, type FaultCounter } from './statistics/count-faults.ts'
import { decisionLogFor } from './statistics/decision-log.ts'
import { savingsOf } from './statistics/savings-ledger.ts'
import { english } from 'hono-rag-gate/language/english'

/** Everything that the routes use. */
export interface Composition {
  readonly gate: GateDependencies
  /** Policy and rules for questions on all routes. Add the deployment's own rules here. */
  readonly judging: Pick<RagGateOptions, 'policy' | 'rules'>
  readonly answer: AnswerOptions
  /** Number of windows for learning a collection's scale. */
  readonly scaleWindows: number
  /** Id of the reranker and its bounds; a change requires a new scale. */
  readonly reader: string | null
  readonly ingest: IngestPorts
  readonly purges: AnswerPurges
  readonly policies: Policies
  /** Resources that policies may require. */
  readonly given: readonly Given[]
  readonly console: ConsoleOptions
  /** The console's parts, for the jobs and `/health`. */
  readonly statistics: ConsoleParts
  readonly log: DecisionLog
  readonly faults: FaultCounter
  readonly keys: ApiKeys
  readonly idempotency: IdempotencyStore
  /** `undefined` without a model; `ask/search-answer.ts` answers then. */
  readonly generator: Generator | undefined
  readonly authenticate: Authenticate
  /** Rate limiter of requests; `undefined` without one. */
  readonly limiter: RateLimiter | undefined
  readonly tenantLimiter: RateLimiter | undefined
  /** Budget of model tokens; `undefined` without one. */
  readonly budget: TokenBudget | undefined
  /** Budget of ingested documents; `undefined` without one. */
  readonly documentBudget: DocumentBudget | undefined
}

const TENANT = 'default'
const ANONYMOUS: Principal = { tenant: TENANT, id: 'anonymous', scopes: ['ask'] }
/** The holder of the deployment's own token, the only principal who may act for any tenant. */
const ADMIN: Principal = { tenant: TENANT, id: 'admin', scopes: ['ask', 'ingest', 'admin'] }

/** Whether the principal is the holder of the deployment's own token. */
export function isDeploymentAdmin(principal: Principal): boolean {
  return principal === ADMIN
}

/**
 * The composition, made once per bindings object, so that clients, caches and buffers live as long as the isolate.
 *
 * @throws `secret_too_short` or `config_invalid` with the invalid settings
 */
export const compositionFor: (env: GateBindings) => Composition = oncePer((env) => {
  requireSettings(env)
  return compose({ ...env, DB: countedDatabase(env.DB).db })
})

function compose(env: GateBindings): Composition {
  const clock = { nowMs: () => Date.now() }
  const { retriever, index } = searchEngine(env)
  const reranker = rerankerFor(env)
  const rerankOptions = rerankingOptions(env)
  const outageMaxAgeMs = (numberIn(env, 'DATABASE_OUTAGE_SECONDS') ?? 600) * 1000
  const stored = createD1Collections({ db: env.DB, outageMaxAgeMs })
  const collections = {
    ...stored,
    // Before anything is judged: questions, and what a scale is learned from.
    find: async (...asked: Parameters<typeof stored.find>) => {
      const [found] = await Promise.all([stored.find(...asked), readLanguage(env.ASSETS)])
      return found
    },
  }
  const log = decisionLogFor(env)
  const keys = createD1ApiKeys({ db: env.DB, outageMaxAgeMs, clock })
  const tokens = [env.ADMIN_TOKEN, env.ADMIN_TOKEN_BEFORE].flatMap((token) =>
    token === undefined ? [] : [{ token, principal: ADMIN }],
  )
  const authenticate = limitWrongTokens(
    createBearerAuthenticator({ tokens, keys, anonymous: env.ANONYMOUS_ASK === 'off' ? null : ANONYMOUS }),
  )
  const generator = generatorFor(env)
  const purges = createD1AnswerPurges({ db: env.DB, clock })
  const reader = readerName(reranker, rerankOptions)
  const policies = createD1Policies({ db: env.DB, clock })
  const options = consoleOptions(env, {
    authenticate,
    isOperator: isDeploymentAdmin,
    answerTokens: answerTokensOf(env),
    purges,
    log,
    clock,
    collections,
    index,
    policies,
    reader,
  })
  const statistics = openConsole(options)
  return {
    gate: {
      retriever,
      ...(reranker && { reranker: reranking(reranker, rerankOptions) }),
      collections,
      cache: answerCache({
        store: answerStore(env),
        purges,
        ...coalescerFor(env, reranker),
        scope: 'tenant',
        version: JSON.stringify([env.DEPLOYMENT ?? '', generator?.model ?? SEARCH, OPENAI_PROMPT_VERSION]),
        // An answer of up to an hour ago is preferred to an error.
        staleIfErrorSeconds: numberIn(env, 'STALE_IF_ERROR_SECONDS') ?? 3600,
      }),
      log,
      authenticate: env.AUDIENCE === 'operator' ? asOperator(authenticate) : authenticate,
      clock,
      savings: savingsOf(env),
      ...questionsOf(env),
    },
    judging: { policy: (_tenant, _collection, policyId, noted) => policyFor(policyId, noted, reader) },
    answer: answerOptionsOf(env),
    // The free plan of Workers allows 50 subrequests and 50 D1 queries per invocation, and a semantic scale asks half as
    // many windows again.
    scaleWindows: env.UPSTASH_VECTOR_REST_URL === undefined && env.VECTORIZE === undefined ? 36 : 28,
    reader,
    ingest: {
      index,
      collections,
      splitter: createMarkdownSplitter({ htmlToMarkdown }),
      clock,
      // The language of every named policy.
      language: english,
    },
    purges,
    policies,
    given: givenBy(env),
    console: options,
    statistics,
    faults: createFaultCounter(statistics.requestFaults, clock),
    log,
    keys,
    idempotency: createD1IdempotencyStore({ db: env.DB, clock }),
    generator,
    authenticate,
    limiter: requestLimiterOf(env),
    tenantLimiter: env.TENANT_LIMIT && createBindingRateLimiter({ binding: env.TENANT_LIMIT }),
    budget: tokenBudgetOf(env),
    documentBudget: documentBudgetOf(env),
  }
}

/** The platform's rate limiter if bound, which counts over all isolates of a data centre; otherwise one in memory. */
function requestLimiterOf(env: GateBindings): RateLimiter | undefined {
  const limit = numberIn(env, 'REQUESTS_PER_MINUTE')
  if (env.REQUEST_LIMIT !== undefined) return createBindingRateLimiter({ binding: env.REQUEST_LIMIT })
  return limit === undefined ? undefined : createMemoryRateLimiter({ limit })
}

function tokenBudgetOf(env: GateBindings): TokenBudget | undefined {
  const [perDay, perMonth] = [numberIn(env, 'TOKENS_PER_DAY'), numberIn(env, 'TOKENS_PER_MONTH')]
  if (perDay === undefined && perMonth === undefined) return undefined
  return createD1TokenBudget({ db: env.DB, perDay, perMonth })
}

function documentBudgetOf(env: GateBindings): DocumentBudget | undefined {
  const [documentsPerDay, stepsPerDay] = [numberIn(env, 'DOCUMENTS_PER_DAY'), numberIn(env, 'INGESTION_STEPS_PER_DAY')]
  if (documentsPerDay === undefined && stepsPerDay === undefined) return undefined
  return createD1DocumentBudget({ db: env.DB, documentsPerDay, stepsPerDay })
}

/** Coalesces only if a model or reranker is used: passages alone are answered faster than a flight is joined. */
function coalescerFor(env: GateBindings, reranker: Reranker | undefined): Pick<AnswerCacheOptions, 'coalescer'> {
  const { ANSWER_FLIGHTS: namespace, LLM_MODEL: model } = env
  if (namespace === undefined || (model === undefined && reranker === undefined)) return {}
  // Includes the search and reranking before the model call.
  const timeoutMs = languageModels(env).length * (numberIn(env, 'LLM_TIMEOUT_SECONDS') ?? 20) * 1000 + 6000
  // The coalescer's maximum is ten minutes.
  return { coalescer: createDurableObjectCoalescer({ namespace, leaderTimeoutMs: Math.min(timeoutMs, 600_000) }) }
}

function answerOptionsOf(env: GateBindings): AnswerOptions {
  const seconds = numberIn(env, 'STREAM_IDLE_SECONDS')
  return { judge: answerJudge(), ...(seconds === undefined ? {} : { streamIdleTimeoutMs: seconds * 1000 }) }
}

/** Gives every caller the operator view, without changing their other permissions. */
function asOperator(authenticate: Authenticate): Authenticate {
  return async (request) => {
    const principal = await authenticate(request)
    return principal && { ...principal, scopes: [...principal.scopes, 'admin'] }
  }
}

function readerName(
  reranker: Pick<Reranker, 'kind' | 'model'> | undefined,
  { between }: RerankingOptions,
): string | null {
  if (reranker === undefined) return null
  const asked = between === undefined ? 'always' : `from ${between[0]} below ${between[1]}`
  return `${reranker.kind} ${reranker.model} ${asked}`
}

/** Memory cache of the isolate, then the data centre's cache, then KV if bound. */
function answerStore({ ANSWERS: kv }: GateBindings): AnswerCache {
  const onFault = ({ operation, kind }: AnswerCacheFault): void =>
    console.warn(`[rag-gate] answer cache: ${operation} ${kind}`)
  const tiers = [
    createMemoryAnswerCache(),
    createCacheApiAnswerCache({ cache: () => caches.open('rag-gate-answers'), onFault }),
    ...(kv === undefined ? [] : [createKvAnswerCache({ kv, onFault })]),
  ]
  return createTieredAnswerCache({ tiers, waitUntil })
}

function questionsOf(env: GateBindings): Pick<GateDependencies, 'questionHmac'> {
  const { QUESTION_HMAC_KEY: key, QUESTION_HMAC_KEY_ID: keyId = '1' } = env
  if (key === undefined) return {}
  const text = env.STORE_QUESTIONS_DAYS === undefined ? 'dropped' : 'kept'
  return { questionHmac: questionHmac({ key, keyId: String(keyId), text }) }
}

function answerTokensOf(env: GateBindings): AnswerTokens | undefined {
  const key = env.FEEDBACK_KEY ?? env.QUESTION_HMAC_KEY
  return key === undefined ? undefined : createAnswerTokens(key, env.FEEDBACK_KEY_BEFORE)
}
