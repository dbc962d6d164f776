/** Model calls, tokens and money saved. */
import { added, type Counted, mean } from './sums.ts'

/** Tokens of saved model calls. */
export interface SavedTokens {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Savings from questions for which no model was called. */
export interface Savings {
  /** Questions refused before the model call. */
  readonly callsAvoidedByRefusal: number
  /** Questions answered from the cache. */
  readonly callsAvoidedByCache: number
  /** Share of all decisions; `null` without any. */
  readonly shareAvoided: number | null
  /** As reported by the model when it made the answers that were reused. */
  readonly measured: SavedTokens
  /** Estimated by the configured average call. */
  readonly estimated: SavedTokens
  /** Saved calls with an unknown number of tokens. */
  readonly unknownCalls: number
  /** In the currency of the prices at that time; `null` if no call has a price. */
  readonly money: SavedMoney | null
  /** Mean generation time, for each saved call, milliseconds; `null` if unknown. */
  readonly generationMsSaved: number | null
}

/** Estimated cost of the saved model calls. */
export interface SavedMoney {
  /** Number of calls with a price; the amounts refer to these. */
  readonly calls: number
  readonly modelCost: number
  /** Cost of the retrievals that led to the savings. */
  readonly retrievalCost: number
  /** Model cost minus retrieval cost; negative if retrieval cost more than it saved. */
  readonly net: number
}

/** The savings of groups of decisions. */
export function savingsOf(groups: readonly Counted[]): Savings {
  const [byRefusal, byCache] = [added(groups, 'savedByRefusal'), added(groups, 'savedByCache')]
  const avoided = byRefusal + byCache
  const decisions = added(groups, 'decisions')
  const [measured, estimated] = [savedTokens(groups, 'savedMeasured'), savedTokens(groups, 'savedEstimated')]
  const generationMs = mean(groups, 'generationMs')
  return {
    callsAvoidedByRefusal: byRefusal,
    callsAvoidedByCache: byCache,
    shareAvoided: decisions === 0 ? null : avoided / decisions,
    measured,
    estimated,
    unknownCalls: avoided - measured.calls - estimated.calls,
    money: savedMoney(groups),
    generationMsSaved: generationMs === null ? null : Math.round(generationMs * avoided),
  }
}

function savedTokens(groups: readonly Counted[], name: 'savedMeasured' | 'savedEstimated'): SavedTokens {
  return {
    calls: added(groups, name),
    inputTokens: added(groups, `${name}Input`),
    outputTokens: added(groups, `${name}Output`),
  }
}

function savedMoney(groups: readonly Counted[]): SavedMoney | null {
  const calls = added(groups, 'savedPriced')
  if (calls === 0) return null
  const [modelCost, retrievalCost] = [added(groups, 'savedModelCost'), added(groups, 'savedRetrievalCost')]
  return { calls, modelCost, retrievalCost, net: modelCost - retrievalCost }
}
