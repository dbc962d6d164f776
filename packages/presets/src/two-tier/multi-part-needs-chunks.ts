import { meets, number, RATIO_TOLERANCE, requireOptions, whole } from 'hono-rag-gate/core/lib'
import { defineRule, mentions, type Rule } from 'hono-rag-gate/core/policy'

/** Settings of `multiPartNeedsChunks`. */
export interface MultiPartOptions {
  /** Number of relevant chunks that a question of several parts needs. Whole, 1..20. @default 2 */
  readonly minChunks?: number
  /** Grade from which a chunk is relevant, 0..3. @default 2 */
  readonly relevanceThreshold?: number
}

/**
 * Refuses a question of several parts (with `and` or `or` as a whole word) for which too few chunks are relevant.
 * Without a reranker's grades every retrieved chunk counts.
 *
 * @throws `config_invalid` when a setting is out of range
 * @see the specification of two-tier, "Custom Gating Logic", second example
 */
export function multiPartNeedsChunks(options: MultiPartOptions = {}): Rule {
  requireOptions(options, { minChunks: whole(1, 20), relevanceThreshold: number(0, 3) })
  const { minChunks = 2, relevanceThreshold = 2 } = options
  return defineRule({
    id: `multi-part-needs-chunks:${minChunks}:${relevanceThreshold}`,
    check({ question, evidence: { chunks } }) {
      if (!mentions(question, ['and', 'or'])) return null
      const grades = chunks.flatMap(({ scores: { grade } }) => grade ?? [])
      const isRelevant = (grade: number): boolean => meets(grade, relevanceThreshold, RATIO_TOLERANCE)
      const actual = grades.length > 0 ? grades.filter(isRelevant).length : chunks.length
      if (actual >= minChunks) return null
      const message = 'Multi-part question requires more evidence'
      return { outcome: 'refuse', message, publicText: message, actual, threshold: minChunks }
    },
  })
}
