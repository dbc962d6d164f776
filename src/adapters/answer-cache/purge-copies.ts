/** Copies, one per tenant, of a list of purges to which others write too. */
import { keepNewest } from '../../core/lib/keep-newest.ts'
import { noPurges, notePurges, type PurgedScopes, purgedSince } from '../../core/policy/purged-scopes.ts'
import { type PurgeScope, tenantOfScope } from '../../core/policy/purge-scope.ts'
import type { AnswerPurges } from '../../ports/answer-purges.ts'
import type { Clock } from '../../ports/clock.ts'

/** A purge in the list: canonical text of its scope, and its number. */
export type PurgeRow = readonly [scope: string, epoch: number]

export interface PurgeCopies extends Pick<AnswerPurges, 'known' | 'maxAgeSeconds'> {
  /** To be called after a purge through this object, which is then in effect at once. */
  readonly purged: (scopes: readonly PurgeScope[]) => void
}

/** Copy of a tenant's purges. */
interface Copy {
  readonly purges: PurgedScopes
  readonly readAtMs: number
}

const MAX_COPIES = 1000

/**
 * @param copyMaxAgeMs how long a copy is used instead of the list, milliseconds; with 0 the list is read for every question
 * @param readNewer the tenant's purges with higher numbers, newest first, at most `MOST_PURGES` + 1; and those of all tenants
 */
export function purgeCopies(
  copyMaxAgeMs: number,
  clock: Clock,
  readNewer: (tenant: string, epoch: number) => Promise<readonly PurgeRow[]>,
): PurgeCopies {
  const copies = new Map<string, Copy>()
  // Number of purges through this object: a read that began before one of them may lack it.
  let purged = 0

  async function refresh(tenant: string, held: Copy | undefined): Promise<Copy> {
    // Taken before reading, so that purges made meanwhile are read next time.
    const startedMs = clock.nowMs()
    const purgedBefore = purged
    const rows = await readNewer(tenant, held?.purges.epoch ?? 0)
    // Another request may have read later purges meanwhile.
    const purges = copies.get(tenant)?.purges ?? held?.purges ?? noPurges()
    // Of too many, the oldest counts as a purge of the whole tenant, so that older ones need not be read.
    notePurges(purges, rows)
    const copy = { purges, readAtMs: purged === purgedBefore ? startedMs : -Infinity }
    keepNewest(copies, tenant, copy, MAX_COPIES)
    return copy
  }

  function age(tenant: string): void {
    const held = copies.get(tenant)
    if (held !== undefined) copies.set(tenant, { ...held, readAtMs: -Infinity })
  }

  return {
    maxAgeSeconds: Math.ceil(copyMaxAgeMs / 1000),

    async known(tenant) {
      const held = copies.get(tenant)
      const ageMs = held === undefined ? Infinity : clock.nowMs() - held.readAtMs
      const copy = held !== undefined && ageMs >= 0 && ageMs < copyMaxAgeMs ? held : await refresh(tenant, held)
      const { purges } = copy
      const { epoch } = purges
      return { epoch, purgedSince: (since, scopes) => epoch > since && purgedSince(purges, since, scopes) }
    },

    purged(scopes) {
      purged++
      const tenants = new Set(scopes.map(tenantOfScope))
      for (const tenant of tenants.has('') ? copies.keys() : tenants) age(tenant)
    },
  }
}
