/** A list of purges, to hold stored answers against: of constant size. */
import { type PurgeScope, purgeScopeText } from './purge-scope.ts'

/** Purges that are known one by one; what is older counts as a purge of all the tenant's answers from before it. */
export const MOST_PURGES = 2000

/** Which scopes of a tenant were purged, each with the number of its latest purge. */
export interface PurgedScopes {
  /** The highest number. */
  epoch: number
  /** Every answer that knows of no later purge than this is purged. */
  foldedEpoch: number
  /** By the canonical texts of the scopes. */
  readonly epochs: Map<string, number>
}

export function noPurges(): PurgedScopes {
  return { epoch: 0, foldedEpoch: 0, epochs: new Map() }
}

/** Notes purges; beyond so many the oldest are folded into one. */
export function notePurges(known: PurgedScopes, purges: Iterable<readonly [scope: string, epoch: number]>): void {
  const { epochs } = known
  for (const [scope, epoch] of [...purges].sort(([, one], [, other]) => one - other)) {
    const latest = Math.max(epoch, epochs.get(scope) ?? 0)
    // Moved to the end: the first was purged longest ago.
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

/** Whether one of these scopes was purged after that epoch. */
export function purgedSince(
  { foldedEpoch, epochs }: PurgedScopes,
  since: number,
  scopes: readonly PurgeScope[],
): boolean {
  return foldedEpoch > since || scopes.some((scope) => (epochs.get(purgeScopeText(scope)) ?? 0) > since)
}
