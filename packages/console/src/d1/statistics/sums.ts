/** Sums over groups of decisions. The public types rest on them: nothing of drizzle here. */
import type { Counts, FIGURES, FigureName, NamedMean } from 'hono-rag-gate/d1/figures'

/** Decisions that have something in common, as they were counted. */
export interface Counted {
  readonly counts: Counts
}

/** Groups under their keys, in the order in which the keys first occur. */
export function grouped<Each, Key>(groups: readonly Each[], keyOf: (group: Each) => Key): Map<Key, Each[]> {
  const byKey = new Map<Key, Each[]>()
  for (const group of groups) {
    const known = byKey.get(keyOf(group))
    if (known === undefined) byKey.set(keyOf(group), [group])
    else known.push(group)
  }
  return byKey
}

/** Decisions by name, with those names that `none` lists in any case. */
export function countBy<Each extends Counted, Name extends string>(
  groups: readonly Each[],
  nameOf: (group: Each) => Name,
  none: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const counts = new Map(Object.entries<number>(none))
  for (const group of groups) {
    counts.set(nameOf(group), (counts.get(nameOf(group)) ?? 0) + (group.counts['decisions'] ?? 0))
  }
  // Made of the names of `none` and those that `nameOf` gives, which are all of type `Name`.
  return Object.fromEntries(counts) as Record<Name, number>
}

/** A sum over all groups. */
export function added(groups: readonly Counted[], name: FigureName<typeof FIGURES, 'count' | 'saving'>): number {
  return sum(groups, name)
}

/** A sum over all groups, by the name under which it stands in `counts`. */
export function sum(groups: readonly Counted[], key: string): number {
  return groups.reduce((soFar, { counts }) => soFar + (counts[key] ?? 0), 0)
}

/** The mean of what is summed up and counted; `null` where nothing is. */
export function mean(groups: readonly Counted[], name: string): number | null {
  const counted = sum(groups, `${name}:count`)
  return counted === 0 ? null : sum(groups, `${name}:sum`) / counted
}

/** What is summed up and counted by name. @param names of everything that the groups may have counted */
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
  // Made of pairs of these.
  return Object.fromEntries(means) as Record<string, NamedMean>
}

/** Decisions by bin; bins of none are left out. */
export function inBins(groups: readonly Counted[], name: FigureName<typeof FIGURES, 'bins'>): Map<number, number> {
  const bins = partsOf(name, namesIn(groups))
  return new Map(bins.map((bin) => [Number(bin), sum(groups, `${name}:${bin}`)]))
}

/** Names of everything that groups counted. */
export function namesIn(groups: readonly Counted[]): ReadonlySet<string> {
  return new Set(groups.flatMap(({ counts }) => Object.keys(counts)))
}

/** What follows a name and a colon. */
function partsOf(name: string, names: Iterable<string>): string[] {
  const prefix = `${name}:`
  return [...names].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length))
}
