/** Reuse of answers by meaning: when another wording asks the same. */
import { above, object, required, requireOptions } from '../core/lib/options.ts'
import { cosine } from '../core/lib/vectors.ts'
import { questionDifference } from '../core/text/question-difference.ts'
import type { Embedder } from '../ports/embedder.ts'
import type { AnswerReuse } from './options.ts'

/** Settings of `similarQuestions`. */
export interface SimilarQuestionsOptions {
  /** Embeds both questions. */
  readonly embedder: Embedder
  /**
   * Cosine of the two questions from which on they may be the same, above 0, at most 1. It belongs to the embedder: that
   * of one says nothing for another. `npm run bench:semantic` shows how it is found.
   */
  readonly atLeast: number
}

/** Longer questions say too much at once for few words to tell them apart. */
const MOST_CODE_POINTS = 300

/**
 * Lets an answer be sent to another wording of its question. It has to have found the same passages as the question of the
 * answer, of the same tenant and collection, and to be judged alike; and nothing that the guard looks for may tell the two
 * questions apart: question words, numbers, symbols, negations, opposites, names, the order of words. The guard reads English.
 *
 * @throws `config_invalid` when `atLeast` is out of range
 */
export function similarQuestions(options: SimilarQuestionsOptions): AnswerReuse {
  requireOptions(options, { embedder: required(object), atLeast: required(above(0, 1)) })
  const { embedder, atLeast } = options
  return {
    async isSameQuestion(question, answered, signal) {
      if ([question, answered].some((text) => [...text].length > MOST_CODE_POINTS)) return false
      if (questionDifference(question, answered) !== undefined) return false
      const [one = [], other = []] = await embedder.embed({ texts: [question, answered], purpose: 'question', signal })
      // NaN reaches nothing.
      return cosine(one, other) >= atLeast
    },
  }
}
