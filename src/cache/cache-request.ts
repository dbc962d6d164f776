/** A question as the cache sees it, and what the cache works with. */
import type { CachedRoute, QuestionToCache } from '../pipeline/gate-cache.ts'
import type { RequestedCacheUse } from './cache-use.ts'
import type { CacheSettings } from './check-options.ts'

/** What a cache works with for every question of a route. */
export interface CacheParts {
  readonly settings: CacheSettings
  readonly route: CachedRoute['settings']
  readonly ports: CachedRoute['ports']
  /** See `SharedKeyParts`. */
  readonly retrieval: string
  /** Whether callers that are told apart share answers: then none is told what another asked. */
  readonly sharesAnswers: boolean
  /** Warns once for each reason why answers of the route cannot be kept. */
  readonly warnNotStored: (why: string) => undefined
  /** Whether the last answer of the route was for its own asker alone, by its headers: then no request waits for the next one. */
  readonly sharing: { isBarred: boolean }
}

/** A question as the cache sees it. */
export interface CacheRequest extends QuestionToCache {
  /** Who may share the answer; see `SharedKeyParts`. */
  readonly partition: string
  /** Values that the answer depends on, in the order of the settings. */
  readonly vary: readonly string[]
  readonly use: RequestedCacheUse
}
