/** What an answer cache does for a gate. The middleware knows it by this alone, and works without one. */
import type { Context } from 'hono'
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { FoundAnswer, QuestionCache } from '../pipeline/question-cache.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from '../pipeline/question-settings.ts'
import type { AnswerReport } from './gate-context.ts'

/** An answer cache, made by `answerCache` of `hono-rag-gate/cache`. */
export interface GateCache {
  /** @throws `cache_scope_required` where callers whom nobody tells apart would share answers */
  forRoute(route: CachedRoute): RouteCache
}

/** The route whose answers are cached. */
export interface CachedRoute {
  readonly settings: QuestionSettings
  readonly ports: Pick<QuestionPorts, 'reranker' | 'clock'> & Required<Pick<QuestionPorts, 'onWarning'>>
  /** Whether callers are told apart. */
  readonly authenticates: boolean
}

/** The answer cache of one route. */
export interface RouteCache {
  open(c: Context, asked: QuestionToCache): ExchangeCache
}

/** A question, and what else its answer depends on. */
export interface QuestionToCache {
  readonly request: QuestionRequest
  /** The request as it came: reading its body puts another one in its place. */
  readonly received: Request
  /** What else the request and the route chose, by name. */
  readonly options: Readonly<Record<string, string>>
  /** When it came, milliseconds since 1970. */
  readonly startedMs: number
}

/** The part of the answer cache in one exchange. */
export interface ExchangeCache {
  readonly question: QuestionCache
  /** The response of a stored answer; what is left to do for it is done after the response. */
  send(found: FoundAnswer): Promise<Response>
  /** To be called before anything writes headers of the answer: those that are there belong to this caller alone. */
  noteHeaders(): void
  /** Keeps what was made of the question, after the response; at once it copies what it needs of it. */
  keep(made: Made): void
  /** How the cache took part. */
  outcome(found: FoundAnswer | undefined): CacheOutcome
}

/** What was made of a question. */
export type Made =
  | {
      readonly kind: 'answer'
      readonly response: Response
      readonly decision: Decision
      readonly policy: Policy
      /** What the handler reported so far: asked again once the body is whole. */
      readonly reported: () => AnswerReport
    }
  | {
      readonly kind: 'refusal'
      readonly body: string
      readonly status: number
      readonly decision: Decision
      readonly policy: Policy
    }
  /** Something that is never kept. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failure' }

/** How the cache took part in one response. */
export interface CacheOutcome {
  readonly state: CacheState
  /** The field `Cache-Status`; absent where the caller may not know. */
  readonly status?: string
  /** The field `Age`, where it is sent. */
  readonly ageSeconds?: number
}

/** How a cache takes part that is not there. */
export const NO_CACHE: CacheOutcome = { state: 'bypass', status: 'rag-gate; fwd=bypass' }
