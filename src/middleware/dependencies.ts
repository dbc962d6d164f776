/** The gate's dependencies, checked once and kept for the life of the isolate. */
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

/** Dependencies of the gate: a retriever, and optional parts. */
export interface GateDependencies {
  readonly retriever: Retriever
  /**
   * Collections and their lexicons.
   *
   * @default for every tenant, those that `question.collections` lists (of `any`, `default`), without a lexicon
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
   * @default none: no answer is cached
   */
  readonly cache?: GateCache
  /** Without one, decisions are not recorded. */
  readonly log?: DecisionLog
  /**
   * Identifies the caller. Without it, every caller is the anonymous principal of the tenant `default` and may ask. A principal
   * with the scope `admin` sees all figures.
   */
  readonly authenticate?: Authenticate
  /** @default the system clock */
  readonly clock?: Clock
  /** `savingsLedger(…)`: records the model calls that refusals and cached answers save. @default no savings are recorded */
  readonly savings?: SavingsLedger
  /**
   * `questionHmac(…)`: records each question as an HMAC. If that fails, or takes longer than `retrieval.timeoutMs`, the
   * decision is recorded without it, and `onWarning` gets `hmac_failed`.
   *
   * @default nothing of a question is recorded
   */
  readonly questionHmac?: QuestionHmac
}

/** The dependencies with defaults applied, and values derived from them. */
export interface ResolvedDependencies extends QuestionPorts {
  readonly cache?: RouteCache | undefined
  readonly savings?: SavingsLedger
  readonly authenticate?: Authenticate
  /** Lasts for as long as the dependencies do. */
  readonly lasting: Memory
  readonly log?: DecisionLog
  readonly questionHmac?: QuestionHmac
}

/** The route's settings that `resolveDependencies` needs. */
export interface DependentSettings extends QuestionSettings {
  readonly question: { readonly listed: readonly string[] }
  readonly onWarning: (warning: GateWarning) => void
}

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() }

/**
 * Returns a function from bindings to resolved dependencies. An object is resolved at once; a function is called when a
 * bindings object is first seen, one without parameters only once.
 *
 * @throws `config_invalid` for invalid dependencies, and what `resolveDependencies` throws
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
  // A function without parameters reads no bindings, and outside Workers there may be none: requests share what it makes.
  return (env) => memory((given.length && env) || given, () => resolveDependencies(given(env), settings))
}

/** The members of the dependencies. */
export const DEPENDENCIES: OptionKinds<GateDependencies> = {
  retriever: required(methods('retrieve')),
  collections: methods('find', 'lexicon'),
  reranker: { words: 'reranking() of hono-rag-gate', holds: methods('assess').holds },
  cache: { words: 'answerCache() of hono-rag-gate/cache', holds: methods('forRoute').holds },
  log: methods('record', 'flush'),
  authenticate: callable,
  clock: methods('nowMs'),
  savings: callable,
  questionHmac: callable,
}

/** The default collections: those that the route lists, else its default one, for every tenant and without a lexicon. */
function listedCollections(listed: readonly string[]): Collections {
  return {
    find: (tenant, id) => (listed.includes(id) ? plainCollection({ tenant, id }) : null),
    lexicon: async () => EMPTY_LEXICON,
  }
}

/**
 * Checks and completes dependencies.
 *
 * @throws `cache_scope_required` when unauthenticated callers would share a cache; `config_invalid` for an invalid
 *   dependency
 */
export function resolveDependencies(given: GateDependencies, settings: DependentSettings): ResolvedDependencies {
  // Wrong wiring is reported when the gate is created, not when its first request fails.
  requireOptions(given, DEPENDENCIES, 'config_invalid', 'dependencies')
  const { cache, ...others } = given
  const { onWarning } = settings
  const defaults = { collections: listedCollections(settings.question.listed), clock: SYSTEM_CLOCK }
  const ports = { ...withDefaults(others, defaults), onWarning }
  return {
    ...ports,
    cache: cache?.forRoute({ settings, ports, authenticates: !!others.authenticate }),
    lasting: createMemory(),
  }
}
