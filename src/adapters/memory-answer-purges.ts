/** Purges of one isolate: for tests, and for servers that are a single process. */
import { noPurges, notePurges, type PurgedScopes, purgedSince } from '../core/policy/purged-scopes.ts'
import { purgeScopeText, tenantOfScope } from '../core/policy/purge-scope.ts'
import type { AnswerPurges } from '../ports/answer-purges.ts'

/** Tenants whose purges are known one by one; a purge of everything takes the place of the oldest. */
const MOST_TENANTS = 1000

/** Purges that this object alone knows of, at once. They are gone with the process, as its memory is. */
export function createMemoryAnswerPurges(): AnswerPurges {
  let epoch = 0
  let everythingEpoch = 0
  const tenants = new Map<string, PurgedScopes>()

  function ofTenant(tenant: string): PurgedScopes {
    const known = tenants.get(tenant) ?? noPurges()
    // Moved to the end: the first one was purged longest ago.
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
      // What was known before a purge stays what it was: an answer that knows of this one is no older.
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
