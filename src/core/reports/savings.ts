/** What one exchange saved: the model call that was not made, less what it took to find that out. */
import { RagGateError } from '../../errors.ts'
import { isRecord } from '../lib/guards.ts'
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
  readonly usage?: TokenUsage
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

/** Beyond it a count is no count of tokens of one call. */
const MOST_TOKENS = 1e9
const HIGHEST_PRICE = 1e9
const MILLION = 1e6
const LONGEST_CURRENCY = 8

/**
 * A ledger of what exchanges save. A refusal saves the call where no model was asked: one that judged the answer came
 * after the call, and saves nothing until it is sent again from the cache.
 *
 * @throws `config_invalid` naming the setting that is missing, unknown or out of range
 * @example
 * ragGate({ policy: balanced(), dependencies: { retriever, log, savings: savingsLedger({ prices, averageCall }) } })
 */
export function savingsLedger(settings: SavingsSettings = {}): SavingsLedger {
  check(settings)
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
  return isRecord(usage) && isTokens(usage.inputTokens) && isTokens(usage.outputTokens)
}

function check(settings: SavingsSettings): void {
  if (!isRecord(settings)) throw invalid('savings', 'must be an object')
  const { prices, averageCall, ...others } = settings
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`savings.${unknown}`, 'is not known')
  if (averageCall !== undefined) {
    checkMembers('savings.averageCall', averageCall, {
      inputTokens: isTokens,
      outputTokens: isTokens,
    })
  }
  if (prices !== undefined) {
    checkMembers('savings.prices', prices, {
      currency: isCurrency,
      inputPerMillionTokens: isPrice,
      outputPerMillionTokens: isPrice,
      perRetrieval: isPrice,
    })
  }
}

/** Each of them, and no other: a price that is left out, or misspelt, must not count as nothing. */
function checkMembers(
  where: string,
  given: unknown,
  checks: Readonly<Record<string, (value: unknown) => boolean>>,
): void {
  if (!isRecord(given)) throw invalid(where, 'must be an object')
  for (const name of new Set([...Object.keys(given), ...Object.keys(checks)])) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (check === undefined) throw invalid(`${where}.${name}`, 'is not known')
    if (!check(given[name]))
      throw invalid(`${where}.${name}`, given[name] === undefined ? 'is missing' : 'is out of range')
  }
}

function isTokens(count: unknown): boolean {
  return Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MOST_TOKENS
}

function isPrice(amount: unknown): boolean {
  return typeof amount === 'number' && amount >= 0 && amount <= HIGHEST_PRICE
}

function isCurrency(name: unknown): boolean {
  return typeof name === 'string' && name.length >= 1 && name.length <= LONGEST_CURRENCY
}

function invalid(param: string, fault: string): RagGateError {
  return new RagGateError('config_invalid', `${param} ${fault}`, { param })
}
