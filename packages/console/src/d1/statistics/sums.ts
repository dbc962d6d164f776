/** Sums over groups of decisions. Independent of drizzle, because public types depend on it. */
import type { Counts, FIGURES, FigureName, NamedMean } from 'hono-rag-gate/d1/figures'

/** Counts of a group of decisions. */
export interface Counted {
  readonly counts: Counts
}

/** Groups items by key, in the order in which keys first occur. */
export function grouped<Each, Key>(groups: readonly Each[], keyOf: (group: Each) => Key): Map<Key, Each[]> {
  const byKey = new Map<Key, Each[]>()
  for (const group of groups) {
    const known = byKey.get(keyOf(group))
    if (known === undefined) byKey.set(keyOf(group), [group])
    else known.push(group)
  }
  return byKey
}

/** Number of decisions by name; names in `none` are always included. */
export function countBy<Each extends Counted, Name extends string>(
  groups: readonly Each[],
  nameOf: (group: Each) => Name,
  none: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const counts = new Map(Object.entries<number>(none))
  for (const group of groups) {
    counts.set(nameOf(group), (counts.get(nameOf(group)) ?? 0) + (group.counts['decisions'] ?? 0))
  }
  // All names are from `none` or `nameOf`, which are of type `Name`.
  return Object.fromEntries(counts) as Record<Name, number>
}

/** A sum over all groups. */
export function added(groups: readonly Counted[], name: FigureName<typeof FIGURES, 'count' | 'saving'>): number {
  return sum(groups, name)
}

/** A sum over all groups, by its key in `counts`. */
export function sum(groups: readonly Counted[], key: string): number {
  return groups.reduce((soFar, { counts }) => soFar + (counts[key] ?? 0), 0)
}

/** The mean of a figure with sum and count; `null` if nothing was counted. */
export function mean(groups: readonly Counted[], name: string): number | null {
  const counted = sum(groups, `${name}:count`)
  return counted === 0 ? null : sum(groups, `${name}:sum`) / counted
}

/** Means by name. @param names of all counts that the groups may have */
export function meansByName(
  groups: readonly Counted[],
  name: string,
  names: Iterable<string>,
): Record<string, NamedMean> {
  const counted = partsOf(name, names).filter((part) => part.endsWith(':count'))
  const means = counted.sort().flatMap((part) => {
    const each = part.slice(0, -':count'.length)
    const count = sum(groups, `${name}:${part}`)
    return count === 0 ? [] : [[each, { counted: count, mean: sum(groups, `${name}:${each}:sum`) / count }]]
  })
  // Built from such pairs.
  return Object.fromEntries(means) as Record<string, NamedMean>
}

/** Decisions by bin, without empty bins. */
export function inBins(groups: readonly Counted[], name: FigureName<typeof FIGURES, 'bins'>): Map<number, number> {
  const bins = partsOf(name, namesIn(groups))
  return new Map(bins.map((bin) => [Number(bin), sum(groups, `${name}:${bin}`)]))
}

/** Names of all counts of the groups. */
export function namesIn(groups: readonly Counted[]): ReadonlySet<string> {
  return new Set(groups.flatMap(({ counts }) => Object.keys(counts)))
}

/** The parts of names after a prefix and a colon. */
function partsOf(name: string, names: Iterable<string>): string[] {
  const prefix = `${name}:`
  return [...names].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length))
}
