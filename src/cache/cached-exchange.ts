/** One exchange past the cache: what is sent of it, what is kept for it, and what its headers say. */
import type { Context } from 'hono'
import type { Decision } from '../core/policy/decision.ts'
import type { CacheOutcome, ExchangeCache, Made } from '../middleware/gate-cache.ts'
import { later } from '../middleware/later.ts'
import { outerHeaders } from '../middleware/merged-headers.ts'
import type { FoundAnswer } from '../pipeline/question-cache.ts'
import type { CachedAnswer } from '../ports/answer-cache.ts'
import type { CoalescedOutcome } from '../ports/coalescer.ts'
import { type Forwarded, forwardedStatus, foundStatus } from './cache-status.ts'
import type { RequestedCacheUse } from './cache-use.ts'
import type { CacheableQuestion, QuestionCacheParts } from './cacheable-question.ts'
import { CachedQuestion } from './cached-question.ts'
import { storeAnswer, storeByQuestion, storeRefusal, type Storing } from './store-answer.ts'
import { storedResponse } from './stored-response.ts'

/** What a cache works with for every exchange of a route. */
export interface ExchangeCacheParts extends QuestionCacheParts {
  /** Whether callers that are told apart share answers: then nobody is told what another asked. */
  readonly sharesAnswers: boolean
}

/** A question in one exchange. */
export interface CacheableExchange extends CacheableQuestion {
  readonly use: RequestedCacheUse
  /** As it came. */
  readonly received: Request
  /** When it came, milliseconds since 1970. */
  readonly startedMs: number
}

/** The part of the cache in one exchange. */
export class CachedExchange implements ExchangeCache {
  readonly question: CachedQuestion
  readonly #c: Context
  readonly #parts: ExchangeCacheParts
  readonly #asked: CacheableExchange
  /** Names of headers, in lower case, that middleware around the gate had set for this caller. */
  #outerHeaders: readonly string[] = []

  constructor(c: Context, parts: ExchangeCacheParts, asked: CacheableExchange) {
    this.question = new CachedQuestion(parts, asked)
    this.#c = c
    this.#parts = parts
    this.#asked = asked
  }

  async send(found: FoundAnswer): Promise<Response> {
    const { answer, kind } = found
    const response = await storedResponse(this.#c, this.#asked.received, answer)
    if (this.question.leads || kind === 'evidence-hit') {
      const store = (): Promise<CachedAnswer> | undefined =>
        kind === 'evidence-hit' ? this.#storeByQuestion(answer) : undefined
      this.#keep(store, kind === 'stale' ? 'failed' : 'not-stored')
    }
    return response
  }

  noteHeaders(): void {
    // Only what is stored needs to be told from what was set for this caller.
    if (this.question.keptUnder !== undefined) this.#outerHeaders = [...outerHeaders(this.#c).keys()]
  }

  keep(made: Made): void {
    switch (made.kind) {
      case 'answer': {
        const storing = this.#storing(made.decision, made.policy, made.reported)
        return this.#keep(() => storing && storeAnswer(made.response, storing))
      }
      case 'refusal': {
        const storing = this.#storing(made.decision, made.policy, () => ({}))
        return this.#keep(() => storing && storeRefusal(made.body, made.status, storing))
      }
      case 'nothing':
        return this.#keep(() => undefined)
      case 'failure':
        return this.#keep(() => undefined, 'failed')
    }
  }

  outcome(found: FoundAnswer | undefined): CacheOutcome {
    if (found !== undefined) {
      const { principal, audience } = this.#asked.request
      const told = this.#mayKnow || found.answer.principalId === principal.id
      const state = STATES[found.kind]
      return told ? { state, status: foundStatus(found, audience), ageSeconds: found.ageSeconds } : { state }
    }
    const forwarded = this.#forwarded()
    const isBypass = forwarded.why === 'bypass' || forwarded.why === 'request'
    return {
      state: isBypass ? 'bypass' : 'miss',
      ...(this.#mayKnow || forwarded.why === 'bypass' ? { status: forwardedStatus(forwarded) } : {}),
    }
  }

  /**
   * Whether a caller may know how the cache took part, whoever asked first. Where callers share answers, a hit tells one
   * what another asked; and where a hit is not told, neither may a miss be.
   */
  get #mayKnow(): boolean {
    return !this.#parts.sharesAnswers || this.#asked.request.audience === 'operator'
  }

  #forwarded(): Forwarded {
    const { missed, isSeparate } = this.question
    if (missed !== 'bypass') return { why: missed, ...(isSeparate ? { collapsed: false } : {}) }
    const { why } = this.#asked.use
    if (why === 'request') return { why }
    return { why: 'bypass', ...(why === undefined ? {} : { detail: why }) }
  }

  /** What storing an answer needs to know; `undefined` where it must not be kept. */
  #storing(decision: Decision, policy: Storing['policy'], reported: Storing['reported']): Storing | undefined {
    const { keptUnder } = this.question
    if (keptUnder === undefined || !isUnimpaired(decision)) return undefined
    const { settings } = this.#parts
    const { request, startedMs } = this.#asked
    const { key, evidenceKey, purgeEpoch } = keptUnder
    return {
      store: settings.store,
      key,
      ...(evidenceKey === undefined ? {} : { evidenceKey }),
      policy,
      decision,
      reported,
      varyHeaders: settings.varyHeaders,
      outerHeaders: this.#outerHeaders,
      staleIfErrorSeconds: settings.staleIfErrorSeconds,
      requestedAtMs: startedMs,
      principalId: request.principal.id,
      purgeEpoch,
    }
  }

  #storeByQuestion(answer: CachedAnswer): Promise<CachedAnswer> | undefined {
    const { keptUnder, judged } = this.question
    if (keptUnder === undefined || judged === undefined || !isUnimpaired(judged.decision)) return undefined
    const { settings, ports } = this.#parts
    return storeByQuestion(answer, { store: settings.store, key: keptUnder.key, ...judged }, ports.clock.nowMs())
  }

  /**
   * Keeps an answer once the response is on its way, and tells those who wait for it what became of it.
   *
   * @param otherwise what they are told where nothing was stored
   */
  #keep(
    store: () => Promise<CachedAnswer | undefined> | undefined,
    otherwise: Extract<CoalescedOutcome, string> = 'not-stored',
  ): void {
    later(this.#c, () => {
      // Called at once: a response can be copied before it is sent only.
      const storing = store()
      if (storing === undefined) return this.question.complete(otherwise)
      return storing.then(
        (answer) => this.question.complete(answer ?? otherwise),
        async (thrown: unknown) => {
          await this.question.complete('failed')
          throw thrown
        },
      )
    })
  }
}

/** As which state each is counted. */
const STATES: Readonly<Record<FoundAnswer['kind'], CacheOutcome['state']>> = {
  hit: 'hit',
  // Neither the retriever nor the model was asked for it.
  collapsed: 'hit',
  'evidence-hit': 'evidence-hit',
  stale: 'stale',
}

/** Whether the reranker did its part: where it failed, the next question may get another answer. */
function isUnimpaired({ reranker }: Decision): boolean {
  return reranker !== 'failed' && reranker !== 'timeout'
}
