/** Totals of groups of decisions. */
import type { Verdict } from 'hono-rag-gate/core/gates'
import type { CacheState } from 'hono-rag-gate/core/policy'
import { type Figure, FIGURES, type Figures, type Shown, shownAs } from 'hono-rag-gate/d1/figures'
import { type Savings, savingsOf } from './savings.ts'
import { countBy, type Counted, grouped, mean, meansByName, namesIn, sum } from './sums.ts'

/** Decisions by verdict. */
export type ByVerdict = Readonly<Record<Verdict, number>>

/** Totals of some decisions. */
export interface Totals extends Shown<typeof FIGURES> {
  readonly byVerdict: ByVerdict
  readonly byCache: Readonly<Record<CacheState, number>>
  readonly savings: Savings
}

/** Totals of one hour or day. */
export interface TotalsAt extends Totals {
  /** Its start, Unix time in milliseconds. */
  readonly startMs: number
}

/** Totals of one policy, collection or tenant. */
export interface TotalsOf extends Totals {
  readonly name: string
}

/** Zero decisions of every verdict. */
export const NO_VERDICTS = { pass: 0, advise: 0, refuse: 0 }
const NO_CACHE_STATES = { hit: 0, 'evidence-hit': 0, miss: 0, bypass: 0, stale: 0 }

/** Decisions of one verdict and cache state. */
export interface Group extends Counted {
  readonly verdict: Verdict
  readonly cache: CacheState
}

/** The displayed figures of all groups. @param names of all counts that the groups may have */
export function shownOf<Of extends Figures>(
  groups: readonly Counted[],
  figures: Of,
  names = namesIn(groups),
): Shown<Of> {
  const shown = Object.entries(figures).flatMap(([name, figure]) => {
    const as = shownAs(name, figure)
    return as === undefined ? [] : [[as, valueOf(groups, name, figure, names)]]
  })
  // Built from these names, each by its kind.
  return Object.fromEntries(shown) as Shown<Of>
}

function valueOf(groups: readonly Counted[], name: string, { kind }: Figure, names: ReadonlySet<string>): unknown {
  if (kind === 'mean') return mean(groups, name)
  return kind === 'means' ? meansByName(groups, name, names) : sum(groups, name)
}

/** The totals of all groups. @param names of all counts that the groups may have */
export function totalsOf(groups: readonly Group[], names = namesIn(groups)): Totals {
  return {
    ...shownOf(groups, FIGURES, names),
    byVerdict: countBy(groups, ({ verdict }) => verdict, NO_VERDICTS),
    byCache: countBy(groups, ({ cache }) => cache, NO_CACHE_STATES),
    savings: savingsOf(groups),
  }
}

/** The totals by name, most frequent first. */
export function totalsBy<Each extends Group>(groups: readonly Each[], nameOf: (group: Each) => string): TotalsOf[] {
  return [...grouped(groups, nameOf)]
    .map(([name, ofName]) => ({ name, ...totalsOf(ofName) }))
    .sort((a, b) => b.decisions - a.decisions || (a.name < b.name ? -1 : 1))
}
