/** Interface of the answer cache. Pipeline and middleware know only this, and work without a cache. */
import type { SharedKeyParts } from '../core/policy/answer-key.ts'
import type { CacheState, Decision } from '../core/policy/decision.ts'
import type { TokenUsage } from '../core/reports/savings.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import type { KnownPurges } from '../ports/answer-purges.ts'
import type { Leader } from '../ports/coalescer.ts'
import type { AssessedEvidence } from './assess-evidence.ts'
import type { QuestionPlace } from './find-place.ts'
import type { QuestionPorts, QuestionRequest, QuestionSettings } from './question-settings.ts'

/** An answer cache, made by `answerCache` of `hono-rag-gate/cache`. */
export interface GateCache {
  /** @throws `cache_scope_required` if unauthenticated callers would share answers */
  forRoute(route: CachedRoute): RouteCache
}

/** The route whose answers are cached. */
export interface CachedRoute {
  readonly settings: QuestionSettings
  readonly ports: Pick<QuestionPorts, 'reranker' | 'clock'> & Required<Pick<QuestionPorts, 'onWarning'>>
  /** Whether callers are identified. */
  readonly authenticates: boolean
}

/** The answer cache of one route. */
export interface RouteCache {
  open(asked: QuestionToCache): QuestionCache
}

/** A question, and everything else that its answer depends on. */
export interface QuestionToCache {
  readonly request: QuestionRequest
  /** The original request, before its body was read. */
  readonly received: Request
  readonly path: string
  /** Values of a query parameter, `undefined` if absent. */
  readonly queries: (name: string) => readonly string[] | undefined
  /** Further options of request and route, by name. */
  readonly options: Readonly<Record<string, string>>
  /** When it arrived, milliseconds since 1970. */
  readonly startedMs: number
  /** Runs work that the response does not wait for. */
  readonly later: (work: () => Promise<void> | undefined) => void
}

/** The answer cache for one question. If it fails or hangs, nothing is found. */
export interface QuestionCache {
  /**
   * Looks up the question key, before retrieval.
   *
   * @returns `undefined` if the cache is not used for this question
   */
  lookUp(place: QuestionPlace): Promise<Lookup | undefined>
  /**
   * Waits for the answer of a simultaneous caller with the same question, if there is one.
   *
   * @throws `not_cached` if only a stored answer is wanted, and there is none
   */
  join(lookup: Lookup | undefined): Promise<Lookup | undefined>
  /** Looks up the evidence key, after the evidence was judged. */
  lookUpEvidence(lookup: Lookup, assessed: AssessedEvidence, decision: Decision): Promise<Lookup>
  /** An expired answer to send after a failure, if allowed. */
  standIn(lookup: Lookup, failure: Failure): FoundAnswer | undefined
  /** The response content of a stored answer. @returns synchronously if possible */
  contentOf(found: FoundAnswer): StoredContent | Promise<StoredContent>
  /** Stores the result and passes it to waiting callers, after the response; what it needs of it is copied at once. */
  store(lookup: Lookup | undefined, made: Made): void
  /** What the cache did. */
  outcome(lookup: Lookup | undefined, found: FoundAnswer | undefined): CacheOutcome
}

/** State of the look-ups for a question; each stage returns a new one. */
export interface Lookup {
  /** A stored answer that may be sent. */
  readonly found?: FoundAnswer
  readonly place: QuestionPlace
  readonly purges: KnownPurges
  /** Parts of both keys. */
  readonly shared: SharedKeyParts
  readonly questionKey: string
  /** Absent before the evidence is judged, and for a refusal. */
  readonly evidenceKey?: string
  /** An answer that is expired, or too old for this caller. */
  readonly older?: AgedAnswer
  /** Present if this caller leads and others wait for its answer. */
  readonly leader?: Leader
  /** Present if there was no answer to share, and the caller is neither leader nor follower. */
  readonly isSeparate?: true
  /** An answer found under the evidence key, to be stored under the question key too; absent if it must not be. */
  readonly storedUnderQuestionKey?: StoredAnswer | undefined
}

/** A stored answer with its age. */
export interface AgedAnswer {
  readonly answer: StoredAnswer
  /** Time since its question arrived. */
  readonly residentSeconds: number
  /** Value of `Age`, including its initial age. */
  readonly ageSeconds: number
  readonly fresh: boolean
}

/** A stored answer that may be sent. */
export interface FoundAnswer {
  readonly answer: StoredAnswer
  /** The body as a stream, if the answer is still being made for another caller. */
  readonly body?: ReadableStream<Uint8Array>
  /**
   * `hit`: found before retrieval; `evidence-hit`: found after retrieval and judgement; `collapsed`: made for a simultaneous
   * caller; `stale`: expired, sent after a failure.
   */
  readonly kind: Extract<CacheState, 'hit' | 'evidence-hit' | 'stale'> | 'collapsed'
  /** Value of `Age`. */
  readonly ageSeconds: number
  /** Remaining lifetime, seconds; negative after expiry. */
  readonly ttlSeconds: number
}

/** Response content of a stored answer. */
export interface StoredContent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | ReadableStream<Uint8Array> | null
}

/** Why no new answer could be made. */
export type Failure =
  | { readonly by: 'retriever'; readonly thrown: unknown }
  | {
      readonly by: 'handler'
      readonly status: number
      /** What the handler threw, if it did. */
      readonly thrown?: unknown
    }

/** Result of a question, to be stored. */
export type Made =
  | {
      readonly kind: 'answer'
      readonly response: Response
      /** Gives a copy of its body. Default: of a clone */
      readonly copy?: () => ReadableStream<Uint8Array> | null
      /** Headers that outer middleware had set for this caller. */
      readonly outer: Headers
      readonly decision: Decision
      /** The handler's reports so far; called again when the body is complete. */
      readonly reported: () => ReportedAnswer
    }
  | {
      readonly kind: 'refusal'
      readonly body: string
      readonly status: number
      readonly decision: Decision
    }
  | { readonly kind: 'found'; readonly found: FoundAnswer }
  /** A result that is never stored. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failure' }

/** The handler's reports about its answer. */
export interface ReportedAnswer {
  readonly model?: string
  readonly usage?: TokenUsage
  /** Whether the model finished its answer. A truncated answer is sent but never stored. Default true. */
  readonly complete?: boolean
}

/** What the cache did for one response. */
export interface CacheOutcome {
  readonly state: CacheState
  /** The field `Cache-Status`; absent if the caller must not know. */
  readonly status?: string
  /** The field `Age`, if it is sent. */
  readonly ageSeconds?: number
}

/** The outcome without a cache. */
export const NO_CACHE: CacheOutcome = { state: 'bypass', status: 'rag-gate; fwd=bypass' }
