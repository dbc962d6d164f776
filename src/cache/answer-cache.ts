/** The answer cache of a gate, made from a store and optional parts. */
import { RagGateError } from '../errors.ts'
import type { CachedRoute, GateCache, QuestionCache, QuestionToCache } from '../pipeline/gate-cache.ts'
import type { CacheParts, CacheRequest } from './cache-request.ts'
import { outcome } from './cache-status.ts'
import { cacheUseOf } from './cache-use.ts'
import { checkCacheOptions } from './check-options.ts'
import { retrievalText } from './keys.ts'
import { join, lookUp, lookUpEvidence, standIn } from './lookup.ts'
import type { AnswerCacheOptions } from './options.ts'
import { store } from './store.ts'
import { knownPurges } from './stored-answer.ts'
import { storedContent } from './stored-content.ts'

/** The query string of a request with the question in its body, where it may name a language or a user; nothing otherwise. */
function queryBeside({ method, url }: Request): readonly string[] {
  const at = method === 'GET' || method === 'HEAD' ? -1 : url.indexOf('?')
  return at < 0 ? [] : [url.slice(at)]
}

/**
 * Makes the answer cache of a gate:
 *
 * ```ts
 * const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'public' })
 * ragGate({ policy: balanced(), dependencies: { retriever, cache } })
 * ```
 *
 * @throws `config_invalid` for an invalid or unknown option
 */
export function answerCache(options: AnswerCacheOptions): GateCache {
  const settings = checkCacheOptions(options)
  const { scope } = settings
  return {
    forRoute(cached: CachedRoute) {
      const { settings: route, ports, authenticates } = cached
      if (!authenticates && scope !== 'public') {
        throw new RagGateError(
          'cache_scope_required',
          "A cache without authenticate is shared by everyone: say so with answerCache({ scope: 'public' }), or pass authenticate",
          { param: 'cache.scope' },
        )
      }
      const { varyHeaders, varyQuery, allowedCredentials } = settings
      const sharesAnswers = authenticates && scope !== 'principal'
      const warned = new Set<string>()
      const warnNotStored = (why: string): undefined => {
        if (!warned.has(why))
          ports.onWarning({ code: 'answer_not_kept', message: `Answers are not cached for their ${why}` })
        warned.add(why)
      }
      const sharing = { isBarred: false }
      const retrieval = retrievalText(cached)
      const parts: CacheParts = { settings, route, ports, retrieval, sharesAnswers, warnNotStored, sharing }
      return {
        open(question: QuestionToCache): QuestionCache {
          const { request, received, queries, later } = question
          const { principal, audience } = request
          const ownAnswersOnly = sharesAnswers && audience !== 'operator'
          const asked: CacheRequest = {
            ...question,
            partition: scope === 'principal' ? `principal:${principal.id}` : scope,
            vary: [
              // Distinguishes absent, empty and repeated headers.
              ...varyHeaders.map((name) => JSON.stringify(received.headers.get(name))),
              ...(varyQuery?.map((name) => JSON.stringify(queries(name) ?? null)) ?? queryBeside(received)),
            ],
            use: cacheUseOf(received.headers, { allowedCredentials, ownAnswersOnly }),
          }
          const { use } = asked
          // Read before retrieval, so that a purge during this request applies to its answer too.
          const purging = use.read || use.store ? knownPurges(parts, principal.tenant) : undefined
          return {
            async lookUp(place) {
              const purges = await purging
              return purges && lookUp(parts, asked, purges, place)
            },
            join: (lookup) => join(parts, asked, lookup),
            lookUpEvidence: (lookup, assessed, decision) => lookUpEvidence(parts, asked, lookup, assessed, decision),
            standIn: (lookup, failure) => standIn(parts, lookup, failure),
            contentOf: (found) => storedContent(received, found),
            store: (lookup, made) => {
              if (lookup !== undefined) later(() => store(parts, asked, lookup, made))
            },
            outcome: (lookup, found) => outcome(parts, asked, lookup, found),
          }
        },
      }
    },
  }
}
