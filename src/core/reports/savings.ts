/** Computes the savings of a question: the model call that was not made, minus the cost of retrieval. */
import { isRecord } from '../lib/guards.ts'
import { group, number, required, requireOptions, text, whole } from '../lib/options.ts'
import type { CacheState, Decision } from '../policy/decision.ts'

/** Token counts of one answer, as reported by the model. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Prices in one currency, each 0..1,000,000,000, without defaults. */
export interface Prices {
  /** Shown beside amounts, 1 to 8 characters; nothing is converted. */
  readonly currency: string
  /** Per million input tokens. */
  readonly inputPerMillionTokens: number
  /** Per million output tokens. */
  readonly outputPerMillionTokens: number
  /** Per retrieval: search, embedding of the question, and the reranker if there is one. */
  readonly perRetrieval: number
}

/** Options of `savingsLedger`. */
export interface SavingsSettings {
  /** @default none: only tokens are counted */
  readonly prices?: Prices
  /**
   * Tokens of an average call, for calls that report no tokens; savings computed from it are marked as estimated.
   *
   * @default none: such calls are counted, but not their tokens
   */
  readonly averageCall?: TokenUsage
}

/** Facts about a question when its response is ready. */
export interface FinishedExchange {
  readonly decision: Pick<Decision, 'verdict' | 'answerSignals'>
  readonly mode: 'enforce' | 'observe'
  readonly cache: CacheState
  /** For a cached answer, tokens of the call that made it, if its handler reported them. */
  readonly usage?: TokenUsage | undefined
  /** Number of retrievals for this question, 0 and up. */
  readonly retrievals: number
}

/** A model call that was not made. JSON. */
export interface Saving {
  /** `refusal`: refused before a model call; `cache`: answered from the cache. */
  readonly by: 'refusal' | 'cache'
  /** Tokens of that call; both absent if unknown. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Present if the tokens are those of the average call. */
  readonly estimated?: true
  /** Cost of the saved call; absent without prices or if its tokens are unknown. */
  readonly modelCost?: number
  /** Cost of this question's retrievals; present with `modelCost`. */
  readonly retrievalCost?: number
}

/** Computes a question's saving; `undefined` if a model was called, or would not have been called without the gate either. */
export type SavingsLedger = (exchange: FinishedExchange) => Saving | undefined

const MILLION = 1e6
/** Plausible token counts of one call. */
const TOKENS = required(whole(0, 1e9))
const PRICE = required(number(0, 1e9))
const PRICES = group<Prices>({
  currency: required({
    words: 'a text of 1 to 8 characters',
    holds: (name) => text.holds(name) && String(name).length <= 8,
  }),
  inputPerMillionTokens: PRICE,
  outputPerMillionTokens: PRICE,
  perRetrieval: PRICE,
})
const AVERAGE_CALL = group<TokenUsage>({ inputTokens: TOKENS, outputTokens: TOKENS })

/**
 * Makes a ledger of savings. A refusal saves the call only if it came before the model call; a refused answer saves nothing
 * until its refusal is sent again from the cache.
 *
 * @throws `config_invalid` naming the missing, unknown or invalid setting
 * @example
 * ragGate({ policy: balanced(), dependencies: { retriever, log, savings: savingsLedger({ prices, averageCall }) } })
 */
export function savingsLedger(settings: SavingsSettings = {}): SavingsLedger {
  // A missing or misspelt price must not count as 0.
  requireOptions(settings, { prices: PRICES, averageCall: AVERAGE_CALL }, 'config_invalid', 'savings')
  return function saved(exchange) {
    return savingOf(exchange, settings)
  }
}

function savingOf(exchange: FinishedExchange, { prices, averageCall }: SavingsSettings): Saving | undefined {
  const { decision, mode, cache, retrievals } = exchange
  const refusedUnasked = decision.verdict === 'refuse' && mode === 'enforce' && decision.answerSignals === undefined
  const cached = cache === 'hit' || cache === 'evidence-hit' || cache === 'stale'
  if (!refusedUnasked && !cached) return undefined
  const by = refusedUnasked ? 'refusal' : 'cache'
  const known = isCount(exchange.usage) ? exchange.usage : undefined
  const usage = known ?? averageCall
  if (usage === undefined) return { by }
  const { inputTokens, outputTokens } = usage
  const saving = {
    by,
    inputTokens,
    outputTokens,
    ...(known === undefined ? { estimated: true as const } : {}),
  } as const
  if (prices === undefined) return saving
  const modelCost =
    (inputTokens * prices.inputPerMillionTokens + outputTokens * prices.outputPerMillionTokens) / MILLION
  return { ...saving, modelCost, retrievalCost: retrievals * prices.perRetrieval }
}

/** Checks usage, as a handler may report anything. */
function isCount(usage: TokenUsage | undefined): usage is TokenUsage {
  return isRecord(usage) && TOKENS.holds(usage.inputTokens) && TOKENS.holds(usage.outputTokens)
}
