/** What the gate works with, checked once and kept for as long as the isolate lives. */
import type { QuestionHmac } from '../pipeline/question-hmac.ts'
import { createMemory, type Memory } from '../core/signals/signal.ts'
import { callable, methods, type OptionKinds, required, requireOptions, withDefaults } from '../core/lib/options.ts'
import type { SavingsLedger } from '../core/reports/savings.ts'
import { EMPTY_LEXICON } from '../core/text/lexicon.ts'
import type { Authenticate } from '../ports/authenticator.ts'
import type { Clock } from '../ports/clock.ts'
import { type Collections, plainCollection } from '../ports/collections.ts'
import type { DecisionLog } from '../ports/decision-log.ts'
import type { Retriever } from '../ports/retriever.ts'
import type { GateWarning, QuestionPorts, QuestionSettings, Reranking } from '../pipeline/question-settings.ts'
import type { GateCache, RouteCache } from '../pipeline/gate-cache.ts'

/** What the gate works with: a retriever, and optional parts. */
export interface GateDependencies {
  readonly retriever: Retriever
  /**
   * Collections and their lexicons.
   *
   * @default one collection of the name that the route searches, without a lexicon, for every tenant
   */
  readonly collections?: Collections
  /**
   * `reranking(…)` of a reranker, which scores the retrieved passages before they are judged.
   *
   * @default none: retrieval scores and texts decide
   */
  readonly reranker?: Reranking
  /**
   * `answerCache(…)` of `hono-rag-gate/cache`.
   *
   * @default none: every question is retrieved, judged and answered anew
   */
  readonly cache?: GateCache
  /** Without one, decisions are not recorded. */
  readonly log?: DecisionLog
  /**
   * Finds out who asks. Without it, everyone is the anonymous principal of the tenant `default` and may ask. A principal with
   * the scope `admin` sees every figure.
   */
  readonly authenticate?: Authenticate
  /** @default the system's */
  readonly clock?: Clock
  /** `savingsLedger(…)`: records the model calls that refusals and cached answers save. @default none are recorded */
  readonly savings?: SavingsLedger
  /**
   * `questionHmac(…)`: records each question as an HMAC. Where that fails, or takes longer than `retrieval.timeoutMs`, the
   * decision is recorded without, and `onWarning` is told with `hmac_failed`.
   *
   * @default nothing of a question is recorded
   */
  readonly questionHmac?: QuestionHmac
}

/** The dependencies with their defaults, and what is derived from them. */
export interface ResolvedDependencies extends QuestionPorts {
  readonly cache?: RouteCache | undefined
  readonly savings?: SavingsLedger
  readonly authenticate?: Authenticate
  /** Lasts for as long as the dependencies do. */
  readonly lasting: Memory
  readonly log?: DecisionLog
  readonly questionHmac?: QuestionHmac
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
 * @throws `config_invalid` for dependencies that are none, and what `resolveDependencies` throws
 */
export function dependenciesFor<Bindings extends object>(
  given: GateDependencies | ((env: Bindings) => GateDependencies),
  settings: DependentSettings,
): (env: Bindings) => ResolvedDependencies {
  if (typeof given !== 'function') {
    const resolved = resolveDependencies(given, settings)
    return () => resolved
  }
  const memory = createMemory(new WeakMap())
  // Outside Workers Hono may have no bindings; the same dependencies then serve all.
  return (env) => memory(env ?? given, () => resolveDependencies(given(env), settings))
}

/** The members of the dependencies. */
export const DEPENDENCIES: OptionKinds<GateDependencies> = {
  retriever: required(methods('retrieve')),
  collections: methods('find', 'lexicon'),
  reranker: { words: 'reranking() of a reranker', holds: methods('assess').holds },
  cache: { words: 'answerCache() of hono-rag-gate/cache', holds: methods('forRoute').holds },
  log: methods('record', 'flush'),
  authenticate: callable,
  clock: methods('nowMs'),
  savings: callable,
  questionHmac: callable,
}

/** One collection of this name for every tenant, without a lexicon. */
function oneCollection(id: string): Collections {
  return {
    find: (tenant, wanted) => (wanted === id ? plainCollection({ tenant, id }) : null),
    lexicon: async () => EMPTY_LEXICON,
  }
}

/**
 * Checks and completes dependencies.
 *
 * @throws `cache_scope_required` when a cache would be shared by callers that are not told apart; `config_invalid` for a
 *   dependency that is none
 */
export function resolveDependencies(given: GateDependencies, settings: DependentSettings): ResolvedDependencies {
  // Wrong wiring is an error with words when the gate is made, not a failure of its first request.
  requireOptions(given, DEPENDENCIES, 'config_invalid', 'dependencies')
  const { cache, ...others } = given
  const { onWarning } = settings
  const defaults = { collections: oneCollection(settings.question.collection), clock: SYSTEM_CLOCK }
  const ports = { ...withDefaults(others, defaults), onWarning }
  return {
    ...ports,
    cache: cache?.forRoute({ settings, ports, authenticates: others.authenticate !== undefined }),
    lasting: createMemory(),
  }
}
