/** What was spent beside what was saved, at the prices of today, the cost of the gate itself included. */
import type { Point, Stats } from './answers.ts'

/** Amounts of a period, or of a point of it. */
export interface Spending {
  /** On the model calls that were made. */
  readonly spent: number
  /** What the calls that were not made would have cost. */
  readonly avoided: number
  /** Every retrieval, also for questions that a model answered. */
  readonly guard: number
  readonly retrievals: number
  /** `avoided` less `guard`. */
  readonly net: number
}

/** Cost of a call, where calls were made whose tokens are known: it goes before an average that was set. */
export function meanCost({
  prices,
  model_calls: calls,
  input_tokens: input,
  output_tokens: output,
}: Stats): number | null {
  return prices === null || calls === 0 || input + output === 0 ? null : costOf(prices, input, output) / calls
}

/** @returns `null` where no prices are set */
export function spendingOf(of: Stats | Point, prices: Stats['prices'], mean: number | null): Spending | null {
  if (prices === null) return null
  const { measured, estimated, unknown_calls: unknown } = of.savings
  const avoided =
    costOf(prices, measured.input_tokens, measured.output_tokens) +
    (mean === null
      ? costOf(prices, estimated.input_tokens, estimated.output_tokens)
      : (estimated.calls + unknown) * mean)
  const retrievals = of.by_cache.miss + of.by_cache.bypass + of.by_cache['evidence-hit']
  const guard = retrievals * prices.per_retrieval
  return { spent: costOf(prices, of.input_tokens, of.output_tokens), avoided, guard, retrievals, net: avoided - guard }
}

function costOf(prices: NonNullable<Stats['prices']>, input: number, output: number): number {
  return (input * prices.input_per_million_tokens + output * prices.output_per_million_tokens) / 1e6
}
