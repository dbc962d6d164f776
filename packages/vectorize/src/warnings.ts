/** Warnings of a retriever over a Vectorize index that others filled; each is given once. */
import { type RetrieverWarning, shown } from '@hono-rag-gate/upstream/rows'

/**
 * Warns that a search found nothing.
 *
 * @param vectorCount of the whole index, as the binding reports it: it has no counts by namespace
 * @param filtered properties that the retriever itself filters by
 */
export function nothingFound(namespace: string, vectorCount: unknown, filtered: readonly string[]): RetrieverWarning {
  const where = namespace === '' ? 'the index' : `the namespace ${shown(namespace)} of the index`
  const advice =
    vectorCount === 0
      ? 'The whole index is empty, or its writes are not visible yet'
      : [
          `The whole index has ${String(vectorCount)} vectors.`,
          ...(namespace === '' ? [] : ['Were they written to this namespace?']),
          ...(filtered.length === 0
            ? []
            : [
                `Filtered by ${filtered.map(shown).join(', ')}: a property needs a metadata index that is older than the vectors.`,
              ]),
        ].join(' ')
  return { code: 'namespace_empty', message: `Nothing is found in ${where}, so every question is refused. ${advice}` }
}
