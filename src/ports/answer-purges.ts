import type { PurgeScope } from '../core/policy/purge-scope.ts'

/** The known purges that affect one tenant's answers. */
export interface KnownPurges {
  /** Number of the latest purge; a new answer is stored with it. */
  readonly epoch: number
  /** Whether one of these scopes was purged after this number. */
  readonly purgedSince: (epoch: number, scopes: readonly PurgeScope[]) => boolean
}

/**
 * Records which answers were purged. Stores need not be able to list or delete answers: every answer that is read is
 * checked against these purges.
 */
export interface AnswerPurges {
  /**
   * The purges that affect this tenant: its own and global ones. May be a copy that is at most `maxAgeSeconds` old.
   *
   * @throws when they cannot be read; then no stored answer may be sent
   */
  known(tenant: string): Promise<KnownPurges>
  /**
   * Purges scopes. This object knows at once; others within `maxAgeSeconds`.
   *
   * @returns the number of this purge, higher than any before
   */
  purge(scopes: readonly PurgeScope[]): Promise<number>
  /** How long another isolate may be unaware of a purge, seconds. */
  readonly maxAgeSeconds: number
}
