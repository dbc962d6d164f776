/** A simulated reranker that knows the labels, because real ones cannot be run here. */
import type { Reranker } from '../../src/ports/reranker.ts'
import { seededRandom } from '../seeded-random.ts'
import type { LabelledQuestion } from './question-sets.ts'

const RELEVANT = 3
const IRRELEVANT = 0

/**
 * Grades the passages that answer a question as relevant; for questions that it is wrong about, others instead: the
 * first, or none.
 *
 * @param errors share of questions that it is wrong about, 0..1
 * @param seed determines which
 */
export function standInReader(
  questions: readonly Pick<LabelledQuestion, 'question' | 'relevantIds'>[],
  errors: number,
  seed: number,
): Reranker {
  const random = seededRandom(seed)
  const known = new Map(
    questions.map(({ question, relevantIds }) => [question, { relevantIds, wrong: random() < errors }]),
  )
  return {
    model: 'stand-in',
    kind: 'grade',
    rerank: async ({ question, passages }) => {
      const { relevantIds, wrong } = known.get(question)!
      const right = passages.map(({ id }) => (relevantIds.includes(id) ? RELEVANT : IRRELEVANT))
      if (!wrong) return right
      const answers = right.includes(RELEVANT)
      return right.map((_, at) => (!answers && at === 0 ? RELEVANT : IRRELEVANT))
    },
  }
}
