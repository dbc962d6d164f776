/** Totals of decisions that have something in common. */
import type { Verdict } from 'hono-rag-gate/core/gates'
import type { CacheState } from 'hono-rag-gate/core/policy'
import { type Savings, savingsOf } from './savings.ts'
import { added, countBy, grouped, mean, type Sums } from './sums.ts'

/** Decisions by verdict. */
export type ByVerdict = Readonly<Record<Verdict, number>>

/** What is summed up of decisions that have something in common. */
export interface Totals {
  readonly decisions: number
  readonly byVerdict: ByVerdict
  readonly byCache: Readonly<Record<CacheState, number>>
  /** Mean confidence, 0..1; `null` when no decision has one. */
  readonly meanConfidence: number | null
  /** Mean time of a response, milliseconds; `null` when none is known. */
  readonly meanTotalMs: number | null
  /**
   * Mean of the largest share of an answer's support that one passage has, 0..1, refusals included; `null` when no answer
   * was judged by it.
   */
  readonly meanEvidenceShare: number | null
  /** Decisions that name a model. */
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly savings: Savings
}

/** Totals of one hour or day. */
export interface TotalsAt extends Totals {
  /** Its beginning in UTC, milliseconds since 1970. */
  readonly startMs: number
}

/** Totals of one policy, collection or tenant. */
export interface TotalsOf extends Totals {
  readonly name: string
}

/** No decision of any verdict. */
export const NO_VERDICTS = { pass: 0, advise: 0, refuse: 0 }
const NO_CACHE_STATES = { hit: 0, 'evidence-hit': 0, miss: 0, bypass: 0, stale: 0 }

/** Sums of the decisions of one verdict and cache state. */
export interface Group extends Sums {
  readonly verdict: Verdict
  readonly cache: CacheState
}

/** The totals of all groups. */
export function totalsOf(groups: readonly Group[]): Totals {
  return {
    decisions: added(groups, 'events'),
    byVerdict: countBy(groups, ({ verdict }) => verdict, NO_VERDICTS),
    byCache: countBy(groups, ({ cache }) => cache, NO_CACHE_STATES),
    meanConfidence: mean(groups, 'confidence'),
    meanTotalMs: mean(groups, 'totalMs'),
    meanEvidenceShare: mean(groups, 'evidenceShare'),
    modelCalls: added(groups, 'modelCalls'),
    inputTokens: added(groups, 'inputTokens'),
    outputTokens: added(groups, 'outputTokens'),
    savings: savingsOf(groups),
  }
}

/** The totals by name, the most frequent first. */
export function totalsBy<Each extends Group>(groups: readonly Each[], nameOf: (group: Each) => string): TotalsOf[] {
  return [...grouped(groups, nameOf)]
    .map(([name, ofName]) => ({ name, ...totalsOf(ofName) }))
    .sort((a, b) => b.decisions - a.decisions || (a.name < b.name ? -1 : 1))
}
