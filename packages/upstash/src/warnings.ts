/** Warnings of a retriever over an Upstash index that others filled; each is given once. */
import { type RetrieverWarning, shown } from '@hono-rag-gate/upstream/rows'

/** Warns that the sparse part is not queried. */
export function sparseLeftOut(why: string): RetrieverWarning {
  return {
    code: 'sparse_left_out',
    message: `Only the dense part is searched: ${why}. Set methods: 'hybrid' or 'dense'`,
  }
}

/** Warns that a namespace is empty. @param counts vectors by namespace */
export function namespaceEmpty(namespace: string, counts: ReadonlyMap<string, number>): RetrieverWarning {
  const filled = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  const others = filled.slice(0, 5).map(([name, count]) => `${shown(name)} (${count})`)
  const advice = others.length === 0 ? 'The index is empty: is this its URL?' : `Others: ${others.join(', ')}`
  return {
    code: 'namespace_empty',
    message: `The namespace ${shown(namespace)} of the index is empty. ${advice}`,
  }
}
