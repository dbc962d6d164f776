/** Splits rollup rows into groups of decisions. */
import { CELL, type Counts, FIGURES, type Figures, type StoredCounts } from 'hono-rag-gate/d1/figures'
import type { decisionRollups } from 'hono-rag-gate/d1/schema'
import type { Band } from 'hono-rag-gate/core/policy'
import type { Mode } from 'hono-rag-gate/ports'
import type { Group } from './totals.ts'
import { CACHED, type DecisionFilter, type Outcome } from './wanted.ts'

/** Decisions of one hour or day with the same value in every field that can be filtered by. */
export interface CountedGroup extends Group {
  readonly startMs: number
  readonly tenant: string
  readonly collection: string
  readonly policyId: string
  readonly band: Band
  readonly mode: Mode
  readonly reason: string
  readonly outcome: Outcome
}

type Cell = Pick<CountedGroup, (typeof CELL)[number]>

/** The groups of rows, in order. */
export function groupsOf(
  rows: readonly (typeof decisionRollups.$inferSelect)[],
  figures: Figures = FIGURES,
): CountedGroup[] {
  const countsOf = namer(figures)
  const cells = new Map<string, Cell>()
  return rows.flatMap(({ startMs, tenant, counts: byCell }) =>
    Object.entries(byCell).map(([key, counts]) => {
      const cell = cells.get(key) ?? cellOf(key)
      cells.set(key, cell)
      return { startMs, tenant, ...cell, counts: countsOf(counts) }
    }),
  )
}

/** Whether a group matches a filter. */
export function isWanted(group: CountedGroup, filter: DecisionFilter): boolean {
  return CELL.every((name) => {
    const wanted = filter[name]
    if (name === 'cache' && wanted === 'cached') return CACHED.includes(group.cache)
    return wanted === undefined || wanted === group[name]
  })
}

/** Merges groups that differ only in their time. */
export function overTime(groups: readonly CountedGroup[]): CountedGroup[] {
  const whole = new Map<string, CountedGroup & { readonly counts: Record<string, number> }>()
  for (const group of groups) {
    const { tenant, counts } = group
    const key = JSON.stringify([tenant, ...CELL.map((name) => group[name])])
    const known = whole.get(key)
    if (known === undefined) whole.set(key, { ...group, counts: { ...counts } })
    else for (const name in counts) known.counts[name] = (known.counts[name] ?? 0) + (counts[name] ?? 0)
  }
  return [...whole.values()]
}

function cellOf(key: string): Cell {
  // The trigger writes a JSON array of strings.
  const values = JSON.parse(key) as string[]
  // Built from the names of a cell, and values of decisions.
  return Object.fromEntries(CELL.map((name, at) => [name, values[at]])) as unknown as Cell
}

/** Maps the stored names of sums to the names of figures. */
function namer(figures: Figures): (stored: StoredCounts) => Counts {
  const entries = Object.entries(figures)
  const known = new Map<string, readonly [name: string, sign: 1 | -1]>()
  const means = entries.flatMap(([name, { kind }]) => (kind === 'mean' ? [`${name}:count`] : []))
  const all = figures['decisions']?.as ?? ''

  function nameOf(short: string): readonly [name: string, sign: 1 | -1] {
    const [, none, as, rest = ''] = /^(-?)([a-z]+)(.*)$/.exec(short) ?? []
    const [name, figure] = entries.find(([, each]) => each.as === as) ?? []
    // Of a figure that there was.
    if (name === undefined) return [short, 1]
    if (none !== '') return [`${name}:count`, -1]
    if (figure?.kind === 'mean') return [`${name}:sum`, 1]
    return [figure?.kind === 'bins' ? `${name}:${rest}` : `${name}${rest}`, 1]
  }

  return (stored) => {
    const counts: Record<string, number> = {}
    for (const short in stored) {
      const [name, sign] = known.get(short) ?? nameOf(short)
      known.set(short, [name, sign])
      counts[name] = (counts[name] ?? 0) + sign * (stored[short] ?? 0)
    }
    const decisions = stored[all]
    if (decisions !== undefined) for (const name of means) counts[name] = (counts[name] ?? 0) + decisions
    return counts
  }
}
