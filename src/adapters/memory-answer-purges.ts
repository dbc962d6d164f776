/** Purges within one process, for tests and for servers of a single process. */
import { noPurges, notePurges, type PurgedScopes, purgedSince } from '../core/policy/purged-scopes.ts'
import { purgeScopeText, tenantOfScope } from '../core/policy/purge-scope.ts'
import type { AnswerPurges } from '../ports/answer-purges.ts'

/** Most tenants whose purges are kept individually; those of the oldest are replaced by a purge of everything. */
const MOST_TENANTS = 1000

/** Purges in memory, in effect at once. They are lost with the process, as are answers in its memory. */
export function createMemoryAnswerPurges(): AnswerPurges {
  let epoch = 0
  let everythingEpoch = 0
  const tenants = new Map<string, PurgedScopes>()

  function ofTenant(tenant: string): PurgedScopes {
    const known = tenants.get(tenant) ?? noPurges()
    // Moved to the end, so that the first is the tenant with the oldest purge.
    tenants.delete(tenant)
    tenants.set(tenant, known)
    if (tenants.size > MOST_TENANTS) {
      for (const [oldest, { epoch: latest }] of tenants) {
        tenants.delete(oldest)
        everythingEpoch = Math.max(everythingEpoch, latest)
        break
      }
    }
    return known
  }

  return {
    maxAgeSeconds: 0,
    async known(tenant) {
      // Kept as it is now: later purges do not change what this caller knows.
      const knownEpoch = epoch
      return {
        epoch: knownEpoch,
        purgedSince: (since, scopes) => {
          if (knownEpoch <= since) return false
          const known = tenants.get(tenant)
          return everythingEpoch > since || (known !== undefined && purgedSince(known, since, scopes))
        },
      }
    },
    async purge(scopes) {
      epoch++
      for (const tenant of new Set(scopes.map(tenantOfScope))) {
        if (tenant === '') everythingEpoch = epoch
        else {
          const own = scopes.filter((scope) => tenantOfScope(scope) === tenant)
          notePurges(
            ofTenant(tenant),
            own.map((scope) => [purgeScopeText(scope), epoch] as const),
          )
        }
      }
      return epoch
    },
  }
}
