/** Inputs of the cache: a route's settings, and a question. */
import type { CachedRoute, QuestionToCache } from '../pipeline/gate-cache.ts'
import type { CacheUse } from './cache-use.ts'
import type { CacheSettings } from './check-options.ts'

/** The cache's parts for a route. */
export interface CacheParts {
  readonly settings: CacheSettings
  readonly route: CachedRoute['settings']
  readonly ports: CachedRoute['ports']
  /** See `SharedKeyParts`. */
  readonly retrieval: string
  /** Whether identified callers share answers, so that no caller may learn what another asked. */
  readonly sharesAnswers: boolean
  /** Warns, once per reason, that answers of the route cannot be stored. */
  readonly warnNotStored: (why: string) => undefined
  /** Whether the route's last answer was for one caller only, by its headers; then no request waits for the next one. */
  readonly sharing: { isBarred: boolean }
}

/** A question as the cache sees it. */
export interface CacheRequest extends QuestionToCache {
  /** Who may share the answer; see `SharedKeyParts`. */
  readonly partition: string
  /** Values of `vary`, in the order of the settings. */
  readonly vary: readonly string[]
  readonly use: CacheUse
}
