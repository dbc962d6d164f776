/** What was not spent, because no model was asked. */
import { added, type Counted, mean } from './sums.ts'

/** Tokens of model calls that were not made. */
export interface SavedTokens {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What was not spent, because no model was asked. */
export interface Savings {
  /** Questions refused before the model was called. */
  readonly callsAvoidedByRefusal: number
  /** Questions answered from the cache. */
  readonly callsAvoidedByCache: number
  /** Of all decisions; `null` without any. */
  readonly shareAvoided: number | null
  /** As the model counted them when it made the answers that were sent again. */
  readonly measured: SavedTokens
  /** By the average call that the deployment set. */
  readonly estimated: SavedTokens
  /** Calls whose tokens are unknown. */
  readonly unknownCalls: number
  /** In the currency of the prices at that time; `null` when no call has a price. */
  readonly money: SavedMoney | null
  /** The mean time of a generation, for each that was not needed, milliseconds; `null` when none is known. */
  readonly generationMsSaved: number | null
}

/** What model calls would have cost that were not made. */
export interface SavedMoney {
  /** Calls that have a price: the amounts are theirs alone. */
  readonly calls: number
  readonly modelCost: number
  /** Spent on the retrievals that found out that they were not needed. */
  readonly retrievalCost: number
  /** The one less the other: below 0 where retrieval cost more than it saved. */
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
