/** Parts of labels, such that what belongs together stays together. */
import { hex, sha256 } from 'hono-rag-gate/core/lib'

/**
 * In which of some parts each item belongs. It follows from the groups alone, never from their order; items of one group
 * are in one part, and parts have about as many groups.
 *
 * @param groups one for each item
 * @param parts how many, whole, 2 and up
 */
export function foldsOf(groups: readonly string[], parts: number): readonly number[] {
  const hash = new Map([...new Set(groups)].map((group) => [group, hex(sha256(group))]))
  const order = [...hash].sort(([, one], [, other]) => (one < other ? -1 : 1)).map(([group]) => group)
  const fold = new Map(order.map((group, at) => [group, at % parts]))
  return groups.map((group) => fold.get(group)!)
}
