/** Puts the Worker together: with `engines.ts` it chooses the adapters by what is bound and set. */
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
import { policyFor } from './policies/policy-for.ts'
import { numberIn, requireSettings } from './settings.ts'
import { consoleOptions } from './statistics/console-options.ts'
import { createFaultCounter, type FaultCounter } from './statistics/count-faults.ts'
import { decisionLogFor } from './statistics/decision-log.ts'
import { savingsOf } from './statistics/savings-ledger.ts'
import { english } from 'hono-rag-gate/language/english'

/** Everything the routes use. */
export interface Composition {
  readonly gate: GateDependencies
  /** By what a question is judged, whichever route it comes by. Rules of the deployment's own are added here. */
  readonly judging: Pick<RagGateOptions, 'policy' | 'rules'>
  readonly answer: AnswerOptions
  /** Windows that a collection is asked to learn its scale. */
  readonly scaleWindows: number
  /** What reads passages, and for which questions: another one makes another scale. */
  readonly reader: string | null
  readonly ingest: IngestPorts
  readonly purges: AnswerPurges
  readonly policies: Policies
  /** What is there of what policies may need. */
  readonly given: readonly Given[]
  readonly console: ConsoleOptions
  /** The console's own parts, for the jobs and `/health`. */
  readonly statistics: ConsoleParts
  readonly log: DecisionLog
  readonly faults: FaultCounter
  readonly keys: ApiKeys
  readonly idempotency: IdempotencyStore
  /** `undefined` without a model: then `ask/search-answer.ts` answers. */
  readonly generator: Generator | undefined
  readonly authenticate: Authenticate
  /** Of requests; `undefined` without one. */
  readonly limiter: RateLimiter | undefined
  readonly tenantLimiter: RateLimiter | undefined
  /** Of tokens; `undefined` without one. */
  readonly budget: TokenBudget | undefined
  /** Of ingested documents; `undefined` without one. */
  readonly documentBudget: DocumentBudget | undefined
}

const TENANT = 'default'
const ANONYMOUS: Principal = { tenant: TENANT, id: 'anonymous', scopes: ['ask'] }
/** Who holds the deployment's own token: the only one who may act for any tenant. */
const ADMIN: Principal = { tenant: TENANT, id: 'admin', scopes: ['ask', 'ingest', 'admin'] }

/** Whether this is the holder of the deployment's own token. */
export function isDeploymentAdmin(principal: Principal): boolean {
  return principal === ADMIN
}

/**
 * The composition for these bindings: made once, so that clients, copies and buffers live as long as the isolate.
 *
 * @throws `secret_too_short` or `config_invalid` with the settings that are wrong
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
  const collections = createD1Collections({ db: env.DB, outageMaxAgeMs })
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
        // Where an answer of the hour before is worth more than an error.
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
    // The free plan of Workers allows 50 requests to others and 50 queries of D1 an invocation: half as many windows again are asked for meaning.
    scaleWindows: env.UPSTASH_VECTOR_REST_URL === undefined && env.VECTORIZE === undefined ? 36 : 28,
    reader,
    ingest: {
      index,
      collections,
      splitter: createMarkdownSplitter({ htmlToMarkdown }),
      clock,
      // Every policy that has a name here reads it.
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

/** The platform's where it is bound, which counts for all isolates of a data centre. */
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

/** Only a model or a reranker is worth waiting for: passages alone are sent sooner than a flight is joined. */
function coalescerFor(env: GateBindings, reranker: Reranker | undefined): Pick<AnswerCacheOptions, 'coalescer'> {
  const { ANSWER_FLIGHTS: namespace, LLM_MODEL: model } = env
  if (namespace === undefined || (model === undefined && reranker === undefined)) return {}
  // Before the model's own limit there is the search, and what reranks it.
  const timeoutMs = languageModels(env).length * (numberIn(env, 'LLM_TIMEOUT_SECONDS') ?? 20) * 1000 + 6000
  // The coalescer takes ten minutes at the most.
  return { coalescer: createDurableObjectCoalescer({ namespace, leaderTimeoutMs: Math.min(timeoutMs, 600_000) }) }
}

function answerOptionsOf(env: GateBindings): AnswerOptions {
  const seconds = numberIn(env, 'STREAM_IDLE_SECONDS')
  return { judge: answerJudge(), ...(seconds === undefined ? {} : { streamIdleTimeoutMs: seconds * 1000 }) }
}

/** Every caller sees every figure; what else they may do stays as it is. */
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

/** The isolate's memory, in front of the data centre's cache, in front of KV where it is bound. */
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
