/** A question as the cache sees it, and what the cache works with. */
import type { QuestionPorts, QuestionRequest, QuestionSettings } from '../pipeline/question-settings.ts'
import type { CacheUse } from './cache-use.ts'
import type { CacheSettings } from './check-options.ts'

/** What a cache works with for every question of a route. */
export interface QuestionCacheParts {
  readonly settings: CacheSettings
  readonly route: QuestionSettings
  readonly ports: Pick<QuestionPorts, 'reranker' | 'clock' | 'onWarning'>
}

/** A question as the cache sees it. */
export interface CacheableQuestion {
  readonly request: QuestionRequest
  /** Who may share the answer; see `SharedKeyParts`. */
  readonly partition: string
  /** Path of the request. */
  readonly path: string
  readonly vary: readonly string[]
  /** What the request and the route chose and an answer depends on, by name. */
  readonly options: Readonly<Record<string, string>>
  readonly use: CacheUse
}
