/** What one exchange saved: the model call that was not made, less what it took to find that out. */
import { isRecord } from '../lib/guards.ts'
import { group, number, required, requireOptions, text, whole } from '../lib/options.ts'
import type { CacheState, Decision } from '../policy/decision.ts'

/** Tokens that a model counted for one answer. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What is paid, in one currency. Each price lies in 0..1,000,000,000; none has a default. */
export interface Prices {
  /** Shown beside amounts, 1 to 8 characters; nothing is converted. */
  readonly currency: string
  /** For a million tokens that the model reads. */
  readonly inputPerMillionTokens: number
  /** For a million tokens that the model writes. */
  readonly outputPerMillionTokens: number
  /** For one round of retrieval: the search, the embedding of its question, and the reranker where there is one. */
  readonly perRetrieval: number
}

/** How savings are counted. */
export interface SavingsSettings {
  /** @default none: tokens alone are counted */
  readonly prices?: Prices
  /**
   * Tokens of an average call, for calls that report no tokens; what rests on it is marked as estimated.
   *
   * @default none: such calls are counted, and their tokens are not
   */
  readonly averageCall?: TokenUsage
}

/** What is known of an exchange when its response is ready. */
export interface FinishedExchange {
  readonly decision: Pick<Decision, 'verdict' | 'answerSignals'>
  readonly mode: 'enforce' | 'observe'
  readonly cache: CacheState
  /** Tokens of the call that made the answer which is repeated, where its handler reported them. */
  readonly usage?: TokenUsage | undefined
  /** Rounds of retrieval on the way of this question, 0 and up. */
  readonly retrievals: number
}

/** A model call that was not made. JSON. */
export interface Saving {
  /** `refusal`: of a question that no model was asked; `cache`: the answer was there. */
  readonly by: 'refusal' | 'cache'
  /** Tokens of that call; both absent where they are not known. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Present where the tokens are those of the average call. */
  readonly estimated?: true
  /** What the call would have cost; absent without prices, and where its tokens are not known. */
  readonly modelCost?: number
  /** What the retrievals of this question cost; present with `modelCost`. */
  readonly retrievalCost?: number
}

/** Says what an exchange saved; nothing where a model was asked, or would not have been asked without the gate either. */
export type SavingsLedger = (exchange: FinishedExchange) => Saving | undefined

const MILLION = 1e6
/** Beyond it a count is no count of tokens of one call. */
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
 * A ledger of what exchanges save. A refusal saves the call where no model was asked: one that judged the answer came
 * after the call, and saves nothing until it is sent again from the cache.
 *
 * @throws `config_invalid` naming the setting that is missing, unknown or out of range
 * @example
 * ragGate({ policy: balanced(), dependencies: { retriever, log, savings: savingsLedger({ prices, averageCall }) } })
 */
export function savingsLedger(settings: SavingsSettings = {}): SavingsLedger {
  // A price that is left out, or misspelt, must not count as nothing.
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

/** A handler may report anything. */
function isCount(usage: TokenUsage | undefined): usage is TokenUsage {
  return isRecord(usage) && TOKENS.holds(usage.inputTokens) && TOKENS.holds(usage.outputTokens)
}
