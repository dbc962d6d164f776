/** Costs and savings at current prices, including the cost of the gate itself. */
import type { Point, Stats } from './answers.ts'

/** Amounts of a period, or of a point of it. */
export interface Spending {
  /** Cost of the model calls made. */
  readonly spent: number
  /** Estimated cost of the saved calls. */
  readonly avoided: number
  /** Cost of all retrievals, including those for answered questions. */
  readonly guard: number
  readonly retrievals: number
  /** `avoided` minus `guard`. */
  readonly net: number
}

/** Mean cost of the calls with known tokens, if any; it takes precedence over a configured average. */
export function meanCost({
  prices,
  model_calls: calls,
  input_tokens: input,
  output_tokens: output,
}: Stats): number | null {
  return prices === null || calls === 0 || input + output === 0 ? null : costOf(prices, input, output) / calls
}

/** @returns `null` without prices */
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
