/** Purges of one isolate: for tests, and for servers that are a single process. */
import { type PurgedScopes, purgedSince } from '../core/policy/purged-scopes.ts'
import { purgeScopeText } from '../core/policy/purge-scope.ts'
import type { AnswerPurges } from '../ports/answer-purges.ts'

/** Purges that this object alone knows of, at once. They are gone with the process, as its memory is. */
export function createMemoryAnswerPurges(): AnswerPurges {
  // Replaced, never changed: what was known before a purge stays what it was.
  let current: PurgedScopes = { epoch: 0, epochs: new Map() }
  return {
    maxAgeSeconds: 0,
    async known() {
      const known = current
      return { epoch: known.epoch, purgedSince: (since, scopes) => purgedSince(known, since, scopes) }
    },
    async purge(scopes) {
      const epoch = current.epoch + 1
      const purged = scopes.map((scope) => [purgeScopeText(scope), epoch] as const)
      current = { epoch, epochs: new Map([...current.epochs, ...purged]) }
      return epoch
    },
  }
}
