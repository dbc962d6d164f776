/** What an answer cache does for a gate. Pipeline and middleware know it by this alone, and work without one. */
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
  /** @throws `cache_scope_required` where callers who are not told apart would share answers */
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
  open(asked: QuestionToCache): QuestionCache
}

/** A question, and what else its answer depends on. */
export interface QuestionToCache {
  readonly request: QuestionRequest
  /** The request as it came: reading its body puts another one in its place. */
  readonly received: Request
  readonly path: string
  /** Values of a query parameter, `undefined` where it is absent. */
  readonly queries: (name: string) => readonly string[] | undefined
  /** What else the request and the route chose, by name. */
  readonly options: Readonly<Record<string, string>>
  /** When it came, milliseconds since 1970. */
  readonly startedMs: number
  /** Has work done that the response does not wait for. */
  readonly later: (work: () => Promise<void> | undefined) => void
}

/** The part of an answer cache in one question. A cache that fails or hangs holds nothing. */
export interface QuestionCache {
  /**
   * Looks under the question key, before anything is retrieved.
   *
   * @returns `undefined` where the cache has no part in the question
   */
  lookUp(place: QuestionPlace): Promise<Lookup | undefined>
  /**
   * Waits for the answer of another caller who asks the same, where there is one.
   *
   * @throws `not_cached` where only a stored answer is wanted, and there was none
   */
  join(lookup: Lookup | undefined): Promise<Lookup | undefined>
  /** Looks under the evidence key, which is known once the evidence was judged. */
  lookUpEvidence(lookup: Lookup, assessed: AssessedEvidence, decision: Decision): Promise<Lookup>
  /** An answer past its lifetime in the place of one that could not be made. */
  standIn(lookup: Lookup, failure: Failure): FoundAnswer | undefined
  /** A stored answer as it is sent to this caller. @returns no promise where nothing is waited for */
  contentOf(found: FoundAnswer): StoredContent | Promise<StoredContent>
  /** Stores what was made, and tells those who wait for it; after the response, but what it needs of it is copied at once. */
  store(lookup: Lookup | undefined, made: Made): void
  /** How the cache took part. */
  outcome(lookup: Lookup | undefined, found: FoundAnswer | undefined): CacheOutcome
}

/** What the cache knows of a question so far. A stage that looks on gives the next one. */
export interface Lookup {
  /** A stored answer that may be sent. */
  readonly found?: FoundAnswer
  readonly place: QuestionPlace
  readonly purges: KnownPurges
  /** What both keys are made of. */
  readonly shared: SharedKeyParts
  readonly questionKey: string
  /** Absent until it is known, and for a refusal. */
  readonly evidenceKey?: string
  /** An answer past its lifetime, or not young enough for this caller. */
  readonly older?: AgedAnswer
  /** Present where others wait for the answer to this question. */
  readonly leader?: Leader
  /** Present where there was no answer to share: neither leader nor follower. */
  readonly isSeparate?: true
  /** What was found under the evidence key, as it is stored under the question key; absent where it must not be. */
  readonly storedUnderQuestionKey?: StoredAnswer | undefined
}

/** A stored answer, and how old it is. */
export interface AgedAnswer {
  readonly answer: StoredAnswer
  /** Since the question came that it answers. */
  readonly residentSeconds: number
  /** What `Age` says: with the age that the answer came with. */
  readonly ageSeconds: number
  readonly fresh: boolean
}

/** A stored answer that may be sent. */
export interface FoundAnswer {
  readonly answer: StoredAnswer
  /** Of an answer that is still being made for another caller: what there is of its body, and what comes. */
  readonly body?: ReadableStream<Uint8Array>
  /**
   * `hit`: before anything was retrieved; `evidence-hit`: after retrieval and judgement; `collapsed`: made meanwhile for
   * another caller who asked the same; `stale`: past its lifetime, in the place of one that could not be made.
   */
  readonly kind: Extract<CacheState, 'hit' | 'evidence-hit' | 'stale'> | 'collapsed'
  /** What `Age` says. */
  readonly ageSeconds: number
  /** Seconds of its lifetime that are left; negative past it. */
  readonly ttlSeconds: number
}

/** What is sent of a stored answer. */
export interface StoredContent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | ReadableStream<Uint8Array> | null
}

/** Why no answer could be made. */
export type Failure =
  | { readonly by: 'retriever'; readonly thrown: unknown }
  | {
      readonly by: 'handler'
      readonly status: number
      /** What it threw, where it did. */
      readonly thrown?: unknown
    }

/** What was made of a question. */
export type Made =
  | {
      readonly kind: 'answer'
      readonly response: Response
      /** Gives a copy of its body. Default: of a clone */
      readonly copy?: () => ReadableStream<Uint8Array> | null
      /** Headers that middleware around the gate had set for this caller. */
      readonly outer: Headers
      readonly decision: Decision
      /** What the handler reported so far: asked again once the body is whole. */
      readonly reported: () => ReportedAnswer
    }
  | {
      readonly kind: 'refusal'
      readonly body: string
      readonly status: number
      readonly decision: Decision
    }
  | { readonly kind: 'found'; readonly found: FoundAnswer }
  /** Something that is never kept. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failure' }

/** What the handler told of its answer. */
export interface ReportedAnswer {
  readonly model?: string
  readonly usage?: TokenUsage
  /** Whether the model ended by itself. An answer that was cut is sent, never stored. Default true. */
  readonly complete?: boolean
}

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
