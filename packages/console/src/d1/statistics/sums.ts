/** Sums over the rollups, and how groups of them are put together. The public types rest on them: nothing of drizzle here. */

/** Names of the counts that are added up. */
export const SUMMED = [
  'events',
  'confidenceCount',
  'confidenceSum',
  'totalMsCount',
  'totalMsSum',
  'retrievalMsCount',
  'retrievalMsSum',
  'generationMsCount',
  'generationMsSum',
  'modelCalls',
  'inputTokens',
  'outputTokens',
  'escalated',
  'expanded',
  'savedByRefusal',
  'savedByCache',
  'savedMeasured',
  'savedMeasuredInput',
  'savedMeasuredOutput',
  'savedEstimated',
  'savedEstimatedInput',
  'savedEstimatedOutput',
  'savedPriced',
  'savedModelCost',
  'savedRetrievalCost',
  'evidenceShareCount',
  'evidenceShareSum',
] as const

/** One of them. */
export type Summed = (typeof SUMMED)[number]

/** What a query for `sumsOf` of `sum-columns.ts` gives. */
export type Sums = Readonly<Record<Summed, number>>

/** Something that so many events have in common. */
export interface Counted {
  readonly events: number
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

/** Events by name, with those names that `none` lists in any case. */
export function countBy<Each extends Counted, Name extends string>(
  groups: readonly Each[],
  nameOf: (group: Each) => Name,
  none: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const counts = new Map(Object.entries<number>(none))
  for (const group of groups) counts.set(nameOf(group), (counts.get(nameOf(group)) ?? 0) + group.events)
  // Made of the names of `none` and those that `nameOf` gives, which are all of type `Name`.
  return Object.fromEntries(counts) as Record<Name, number>
}

/** One of the sums, over all groups. */
export function added(groups: readonly Sums[], name: keyof Sums): number {
  return groups.reduce((sum, group) => sum + group[name], 0)
}

/** The mean of what is summed up and counted; `null` where nothing is. */
export function mean(
  groups: readonly Sums[],
  name: 'confidence' | 'evidenceShare' | 'totalMs' | 'retrievalMs' | 'generationMs',
): number | null {
  const count = added(groups, `${name}Count`)
  return count === 0 ? null : added(groups, `${name}Sum`) / count
}
