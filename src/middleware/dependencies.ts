/** What the gate works with, checked once and kept for as long as the isolate lives. */
import { createQuestionHmac } from '../pipeline/question-hmac.ts'
import { createRehearsal, type Rehearsal } from '../pipeline/rehearse.ts'
import { createTermReader } from '../core/text/terms.ts'
import { isRecord } from '../core/lib/guards.ts'
import type { TermReader } from '../core/text/terms.ts'
import type { Audience } from '../core/policy/preset.ts'
import type { SavingsLedger } from '../core/reports/savings.ts'
import { RagGateError } from '../errors.ts'
import type { Authenticate } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import { type Collections, plainCollection } from '../ports/collections.ts'
import type { DecisionEvent, DecisionLog } from '../ports/decision-log.ts'
import type { QuestionRewriter } from '../ports/question-rewriter.ts'
import type { Reranker } from '../ports/reranker.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { GateWarning, QuestionPorts, QuestionSettings } from '../pipeline/question-settings.ts'
import type { GateCache, RouteCache } from './gate-cache.ts'

/** What the gate works with: a retriever, and whatever else there is. */
export interface GateDependencies {
  readonly retriever: Retriever
  /**
   * Collections and their lexicons.
   *
   * @default one collection of the name that the route searches, without a lexicon, for every tenant
   */
  readonly collections?: Collections
  /** Scores the retrieved passages before they are judged. Without one, retrieval scores and texts decide. */
  readonly reranker?: Reranker
  /**
   * Words a weak question anew for the further round of `retrieval.expansion`. Without one, words of the best passages are added
   * to it.
   */
  readonly rewriter?: QuestionRewriter
  /**
   * `answerCache(…)` of `hono-rag-gate/cache`.
   *
   * @default none: every question is retrieved, judged and answered anew
   */
  readonly cache?: GateCache
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
  /** `savingsLedger(…)`: records the model calls that refusals and cached answers save. @default none are recorded */
  readonly savings?: SavingsLedger
  /**
   * Key, 32 characters and up, under which questions are recorded as HMAC-SHA-256, with a key of its own for each tenant
   * and period; without one, nothing of a question is recorded.
   */
  readonly questionHmac?: {
    readonly key: string
    readonly keyId: string
    /** After how many days another key is derived, 1 and up. @default 90 */
    readonly rotateAfterDays?: number
    /** Hands the question itself to the log too: the log has to forget it in time. @default 'dropped' */
    readonly text?: 'dropped' | 'kept'
  }
}

/** The dependencies with their defaults, and what is derived from them. */
export interface ResolvedDependencies extends QuestionPorts {
  readonly cache?: RouteCache
  readonly audience: Audience
  readonly savings?: SavingsLedger
  readonly authenticate?: Authenticate
  /** Remembers terms of texts for as long as the dependencies live. */
  readonly terms: TermReader
  readonly rehearsal: Rehearsal
  /** Absent without a log. */
  readonly record?: (event: DecisionEvent, question: string) => Promise<void> | undefined
}

/** What of a route the dependencies are completed by. */
export interface DependentSettings extends QuestionSettings {
  readonly question: { readonly collection: string }
  readonly onWarning: (warning: GateWarning) => void
}

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() }

/**
 * Gives the dependencies for a request's bindings, each made once: those that were given as they are at once, those of a
 * function when bindings are first seen.
 *
 * @throws `config_invalid` for dependencies that are none; whatever else `resolveDependencies` throws
 */
export function dependenciesFor<Bindings extends object>(
  given: GateDependencies | ((env: Bindings) => GateDependencies),
  settings: DependentSettings,
): (env: Bindings) => ResolvedDependencies {
  if (typeof given !== 'function') {
    const resolved = resolveDependencies(given, settings)
    return () => resolved
  }
  const byBindings = new WeakMap<object, ResolvedDependencies>()
  return (env) => {
    // Outside Workers Hono may have no bindings; the same dependencies then serve all.
    const holder: object = env ?? given
    const known = byBindings.get(holder)
    if (known !== undefined) return known
    const made = resolveDependencies(given(env), settings)
    byBindings.set(holder, made)
    return made
  }
}

/** Names of the dependencies: an unknown one would be passed over, and somebody may rely on it. */
const NAMES: ReadonlySet<string> = new Set<keyof GateDependencies>([
  'retriever',
  'collections',
  'reranker',
  'rewriter',
  'cache',
  'log',
  'authenticate',
  'clock',
  'audience',
  'savings',
  'questionHmac',
])

/** Methods without which a dependency is none. */
const METHODS: readonly (readonly [dependency: keyof GateDependencies, methods: readonly string[]])[] = [
  ['retriever', ['retrieve']],
  ['collections', ['find', 'lexicon']],
  ['reranker', ['rerank']],
  ['rewriter', ['rewrite']],
  ['cache', ['forRoute']],
  ['log', ['record', 'flush']],
  ['clock', ['nowMs']],
]

/** Wrong wiring is said in words when it is made, not by a failure of the first request. */
function requireDependencies(given: GateDependencies): void {
  if (given instanceof Promise) {
    throw invalid('dependencies must not be a promise: what takes time belongs into their methods', 'dependencies')
  }
  if (!isRecord(given)) throw invalid('dependencies must be an object with a retriever', 'dependencies')
  const unknown = Object.keys(given).find((name) => !NAMES.has(name))
  if (unknown !== undefined)
    throw invalid(`There is no dependency ${unknown}; known are ${[...NAMES].join(', ')}`, unknown)
  if (given.retriever === undefined) throw invalid('dependencies must hold a retriever', 'retriever')
  if (given.cache !== undefined && 'get' in Object(given.cache)) {
    throw invalid('cache must be answerCache({ store: … }) of hono-rag-gate/cache, not a store alone', 'cache')
  }
  for (const [name, methods] of METHODS) {
    const dependency: unknown = given[name]
    if (dependency === undefined) continue
    const missing = methods.find((method) => typeof Reflect.get(Object(dependency), method) !== 'function')
    if (missing !== undefined) throw invalid(`The dependency ${name} has no method ${missing}`, name)
  }
  for (const name of ['authenticate', 'savings'] as const) {
    if (given[name] !== undefined && typeof given[name] !== 'function') {
      throw invalid(`The dependency ${name} must be a function`, name)
    }
  }
}

function invalid(message: string, param: string): RagGateError {
  return new RagGateError('config_invalid', message, { param })
}

/** One collection of this name for every tenant, without a lexicon. */
function oneCollection(id: string): Collections {
  return {
    find: async (tenant, wanted) => (wanted === id ? plainCollection({ tenant, id }) : null),
    lexicon: async () => {
      throw new RagGateError('lexicon_unreadable', 'There is no such collection lexicon')
    },
  }
}

/**
 * Checks and completes dependencies.
 *
 * @throws `cache_scope_required` when a cache would be shared by callers that nobody tells apart; `secret_too_short`
 *   when the key for questions is; `config_invalid` for an audience that there is not
 */
function resolveDependencies(given: GateDependencies, settings: DependentSettings): ResolvedDependencies {
  requireDependencies(given)
  const {
    retriever,
    collections = oneCollection(settings.question.collection),
    reranker,
    rewriter,
    cache,
    log,
    authenticate,
    clock = SYSTEM_CLOCK,
    audience = 'public',
    savings,
    questionHmac,
  } = given
  if (audience !== 'public' && audience !== 'operator') throw invalid('audience must be public or operator', 'audience')
  const models = { ...(reranker && { reranker }), ...(rewriter && { rewriter }) }
  const { onWarning } = settings
  const ports = { ...models, clock, onWarning }
  return {
    retriever,
    collections,
    ...models,
    ...(cache && { cache: cache.forRoute({ settings, ports, authenticates: authenticate !== undefined }) }),
    clock,
    onWarning,
    audience,
    ...(savings && { savings }),
    ...(authenticate && { authenticate }),
    terms: createTermReader(),
    rehearsal: createRehearsal(),
    ...(log && { record: recorder(log, questionHmac, clock) }),
  }
}

function recorder(
  log: DecisionLog,
  hmac: GateDependencies['questionHmac'],
  clock: Clock,
): NonNullable<ResolvedDependencies['record']> {
  if (hmac === undefined) return (event) => log.record(event)
  const hashQuestion = createQuestionHmac({ ...hmac, clock })
  return async (event, question) => {
    const { tenant } = event.decision
    const hashed = await hashQuestion(tenant, question)
    await log.record({ ...event, question: hmac.text === 'kept' ? { ...hashed, text: question } : hashed })
  }
}
