/** A list of purges, to hold stored answers against. */
import { type PurgeScope, purgeScopeText } from './purge-scope.ts'

/** Which scopes were purged, each with the number of its latest purge. */
export interface PurgedScopes {
  /** The highest number. */
  readonly epoch: number
  /** By the canonical texts of the scopes. */
  readonly epochs: ReadonlyMap<string, number>
}

/** Whether one of these scopes was purged after that epoch. */
export function purgedSince({ epoch, epochs }: PurgedScopes, since: number, scopes: readonly PurgeScope[]): boolean {
  if (epoch <= since) return false
  return scopes.some((scope) => (epochs.get(purgeScopeText(scope)) ?? 0) > since)
}
