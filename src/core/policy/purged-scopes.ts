/** A list of purges of bounded size, against which stored answers are checked. */
import { type PurgeScope, purgeScopeText } from './purge-scope.ts'

/** Purges kept individually per tenant; older ones are merged into one purge of all the tenant's earlier answers. */
export const MOST_PURGES = 2000

/** The purged scopes of a tenant, each with the number of its latest purge. */
export interface PurgedScopes {
  /** The highest number. */
  epoch: number
  /** Answers stored at this epoch or earlier are purged. */
  foldedEpoch: number
  /** Number of the latest purge by canonical text of the scope. */
  readonly epochs: Map<string, number>
}

export function noPurges(): PurgedScopes {
  return { epoch: 0, foldedEpoch: 0, epochs: new Map() }
}

/** Adds purges; beyond `MOST_PURGES` the oldest are merged into one. */
export function notePurges(known: PurgedScopes, purges: Iterable<readonly [scope: string, epoch: number]>): void {
  const { epochs } = known
  for (const [scope, epoch] of [...purges].sort(([, one], [, other]) => one - other)) {
    const latest = Math.max(epoch, epochs.get(scope) ?? 0)
    // Moved to the end, so that the first entry is the oldest.
    epochs.delete(scope)
    epochs.set(scope, latest)
    known.epoch = Math.max(known.epoch, epoch)
  }
  for (const [scope, epoch] of epochs) {
    if (epochs.size <= MOST_PURGES) return
    epochs.delete(scope)
    known.foldedEpoch = Math.max(known.foldedEpoch, epoch)
  }
}

/** Whether one of these scopes was purged after the epoch. */
export function purgedSince(
  { foldedEpoch, epochs }: PurgedScopes,
  since: number,
  scopes: readonly PurgeScope[],
): boolean {
  return foldedEpoch > since || scopes.some((scope) => (epochs.get(purgeScopeText(scope)) ?? 0) > since)
}
