/** Splits labels into folds, keeping groups together. */
import { hex, sha256 } from 'hono-rag-gate/core/lib'

/**
 * The fold of each item. It depends on the groups only, not on their order; items of one group share a fold, and folds
 * have about the same number of groups.
 *
 * @param groups the group of each item
 * @param parts number of folds, whole, 2 and up
 */
export function foldsOf(groups: readonly string[], parts: number): readonly number[] {
  const hash = new Map([...new Set(groups)].map((group) => [group, hex(sha256(group))]))
  const order = [...hash].sort(([, one], [, other]) => (one < other ? -1 : 1)).map(([group]) => group)
  const fold = new Map(order.map((group, at) => [group, at % parts]))
  return groups.map((group) => fold.get(group)!)
}
