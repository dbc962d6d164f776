/** The answer cache of a gate, made of a store of answers and of what else there is. */
import { RagGateError } from '../errors.ts'
import type { CachedRoute, GateCache, QuestionToCache } from '../middleware/gate-cache.ts'
import type { Context } from 'hono'
import { cacheUseOf } from './cache-use.ts'
import { CachedExchange, type ExchangeCacheParts } from './cached-exchange.ts'
import { checkCacheOptions } from './check-options.ts'
import type { AnswerCacheOptions } from './options.ts'

/**
 * Makes the answer cache of a gate:
 *
 * ```ts
 * const cache = answerCache({ store: createMemoryAnswerCache(), scope: 'public' })
 * ragGate({ policy: balanced(), dependencies: { retriever, cache } })
 * ```
 *
 * @throws `config_invalid` when an option is out of range, or not known
 */
export function answerCache(options: AnswerCacheOptions): GateCache {
  const settings = checkCacheOptions(options)
  const { scope } = settings
  return {
    forRoute({ settings: route, ports, authenticates }: CachedRoute) {
      if (!authenticates && scope !== 'public') {
        throw new RagGateError(
          'cache_scope_required',
          "A cache without authenticate is shared by everyone: say so with answerCache({ scope: 'public' }), or pass authenticate",
          { param: 'cache.scope' },
        )
      }
      const { varyHeaders, varyQuery, barredCredentials } = settings
      const sharesAnswers = authenticates && scope !== 'principal'
      const parts: ExchangeCacheParts = { settings, route, ports, sharesAnswers }
      return {
        open(c: Context, { request, received, options: chosen, startedMs }: QuestionToCache) {
          const { principal, audience } = request
          const ownAnswersOnly = sharesAnswers && audience !== 'operator'
          return new CachedExchange(c, parts, {
            request,
            partition: scope === 'principal' ? `principal:${principal.id}` : scope,
            path: c.req.path,
            vary: [
              // Absent, empty and repeated are three different things.
              ...varyHeaders.map((name) => JSON.stringify(received.headers.get(name))),
              ...varyQuery.map((name) => JSON.stringify(c.req.queries(name) ?? null)),
            ],
            options: chosen,
            use: cacheUseOf(received.headers, { barredCredentials, ownAnswersOnly }),
            received,
            startedMs,
          })
        },
      }
    },
  }
}
