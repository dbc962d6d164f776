/** What the gate is connected to, checked once and kept for as long as the isolate lives. */
import type { Audience } from '../core/reports/refusal.ts'
import { hex } from '../core/lib/sha256.ts'
import { RagGateError } from '../errors.ts'
import type { AnswerCache } from '../ports/answer-cache.ts'
import type { Authenticate, Principal } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import type { Collections } from '../ports/collections.ts'
import type { DecisionEvent, DecisionLog } from '../ports/decision-log.ts'
import type { QuestionRewriter } from '../ports/question-rewriter.ts'
import type { Reranker } from '../ports/reranker.ts'
import type { Retriever } from '../ports/retriever.ts'

/** Who may share a cached answer. */
export type CacheScope = 'public' | 'tenant' | 'principal'

/** What `resolve` gives the gate. */
export interface GateConnections {
  readonly retriever: Retriever
  readonly collections: Collections
  /** Scores the retrieved passages before they are judged. Without one, retrieval scores and texts decide. */
  readonly reranker?: Reranker
  /**
   * Words a weak question anew for the further round of `expandBelow`. Without one, words of the best passages are added
   * to it.
   */
  readonly rewriter?: QuestionRewriter
  /** Without one, every question is retrieved, judged and answered anew. */
  readonly cache?: AnswerCache
  /** Without one, decisions are not recorded. */
  readonly log?: DecisionLog
  /** Without one, everyone is the anonymous principal of the tenant `default` and may ask. */
  readonly authenticate?: Authenticate
  /** @default the system's */
  readonly clock?: Clock
  /**
   * What a caller without the admin scope sees. `operator` shows every figure: for local pages and private deployments.
   *
   * @default 'public'
   */
  readonly audience?: Audience
  /**
   * Names the deployment in the answer key, so that two of them, or an old and a new database, can share a store.
   *
   * @default ''
   */
  readonly deployment?: string
  /**
   * Names the model that the handler calls: another model makes other answers.
   *
   * @default ''
   */
  readonly model?: string
  /**
   * Key, 32 characters and up, under which questions are recorded as HMAC-SHA-256; without one, nothing of a question
   * is recorded.
   */
  readonly questionHmac?: { readonly key: string; readonly keyId: string }
}

/** The connections with their defaults, and what is derived from them. */
export interface Connected {
  readonly retriever: Retriever
  readonly collections: Collections
  readonly reranker?: Reranker
  readonly rewriter?: QuestionRewriter
  readonly cache?: AnswerCache
  readonly clock: Clock
  readonly audience: Audience
  readonly deployment: string
  readonly model: string
  /** @throws `unauthorized`, `forbidden` */
  readonly identify: (request: Request) => Promise<Principal>
  readonly partition: (principal: Principal) => string
  readonly record: (event: DecisionEvent, question: string) => Promise<void> | undefined
}

const ANONYMOUS: Principal = { tenant: 'default', id: 'anonymous', scopes: ['ask'] }

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() }

/**
 * Gives the connections for a request's bindings, each made once: connections that were given as they are at once, those
 * of a function when bindings are first seen.
 *
 * @throws whatever `connect` throws
 */
export function connector<Bindings extends object>(
  resolve: GateConnections | ((env: Bindings) => GateConnections),
  cacheScope: CacheScope | undefined,
): (env: Bindings) => Connected {
  if (typeof resolve !== 'function') {
    const connected = connect(resolve, cacheScope)
    return () => connected
  }
  const byBindings = new WeakMap<object, Connected>()
  return (env) => {
    // Outside Workers Hono may have no bindings; one connection then serves all.
    const holder: object = env ?? resolve
    const known = byBindings.get(holder)
    if (known !== undefined) return known
    const made = connect(resolve(env), cacheScope)
    byBindings.set(holder, made)
    return made
  }
}

const MIN_HMAC_KEY_LENGTH = 32

/**
 * Checks and completes what `resolve` gave.
 *
 * @throws `cache_scope_required` when a cache would be shared by callers that nobody tells apart; `secret_too_short`
 *   when the key for questions is; `config_invalid` for an audience that there is not
 */
function connect(connections: GateConnections, cacheScope: CacheScope | undefined): Connected {
  const {
    retriever,
    collections,
    reranker,
    rewriter,
    cache,
    clock = SYSTEM_CLOCK,
    audience = 'public',
    deployment = '',
    model = '',
  } = connections
  // A typing error must not show figures to everyone.
  if (audience !== 'public' && audience !== 'operator') {
    throw new RagGateError('config_invalid', 'audience must be public or operator', { param: 'audience' })
  }
  if (cache !== undefined && connections.authenticate === undefined && cacheScope !== 'public') {
    throw new RagGateError(
      'cache_scope_required',
      "A cache without authenticate is shared by everyone: say so with cacheScope: 'public', or pass authenticate",
      { param: 'cacheScope' },
    )
  }
  if (connections.questionHmac !== undefined && connections.questionHmac.key.length < MIN_HMAC_KEY_LENGTH) {
    throw new RagGateError('secret_too_short', `questionHmac.key needs ${MIN_HMAC_KEY_LENGTH} characters`, {
      param: 'questionHmac',
    })
  }
  return {
    retriever,
    collections,
    ...(reranker === undefined ? {} : { reranker }),
    ...(rewriter === undefined ? {} : { rewriter }),
    ...(cache === undefined ? {} : { cache }),
    clock,
    audience,
    deployment,
    model,
    identify: (request) => identify(connections.authenticate, request),
    partition: ({ id }) => (cacheScope === 'public' || cacheScope === 'tenant' ? cacheScope : `principal:${id}`),
    record: recorder(connections.log, connections.questionHmac),
  }
}

async function identify(authenticate: Authenticate | undefined, request: Request): Promise<Principal> {
  const principal = authenticate === undefined ? ANONYMOUS : await authenticate(request)
  if (principal === null) throw new RagGateError('unauthorized', 'Credentials are needed to ask')
  if (!principal.scopes.includes('ask')) throw new RagGateError('forbidden', 'These credentials may not ask')
  return principal
}

function recorder(log: DecisionLog | undefined, hmac: GateConnections['questionHmac']): Connected['record'] {
  if (log === undefined) return () => undefined
  if (hmac === undefined) return (event) => log.record(event)
  const encoder = new TextEncoder()
  // The key is kept, not the promise of it: no request may wait for a promise of another.
  let key: CryptoKey | undefined
  return async (event, question) => {
    key ??= await crypto.subtle.importKey('raw', encoder.encode(hmac.key), HMAC, false, ['sign'])
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(question)))
    await log.record({ ...event, question: { hmac: hex(mac), keyId: hmac.keyId } })
  }
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' }
