import type { PurgeScope } from '../core/policy/purge-scope.ts'

/** What is known of the purges that reach one tenant's answers. */
export interface KnownPurges {
  /** Number of the latest purge known; an answer made now is stored with it. */
  readonly epoch: number
  /** Whether one of these scopes was purged after that epoch. */
  readonly purgedSince: (epoch: number, scopes: readonly PurgeScope[]) => boolean
}

/**
 * Keeps which answers were purged. A store of answers need not be able to list or delete: every answer that is read is held
 * against what is known here.
 */
export interface AnswerPurges {
  /**
   * The purges that reach this tenant, its own and those of everything. May be a copy of at most `maxAgeSeconds`.
   *
   * @throws when they cannot be read: then no stored answer may be sent
   */
  known(tenant: string): Promise<KnownPurges>
  /**
   * Purges. The object that did it knows at once; others within `maxAgeSeconds`.
   *
   * @returns the number of this purge: higher than that of any purge before
   */
  purge(scopes: readonly PurgeScope[]): Promise<number>
  /** How long another isolate may go on without knowing of a purge, seconds. */
  readonly maxAgeSeconds: number
}
