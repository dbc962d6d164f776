/** The eight families of question sets, measured once: each question with its evidence, and answerable ones once more without what answers them. */
import { hideFromRankings } from '../../src/core/calibration/hidden-gold.ts'
import { fuseConvex } from '../../src/core/evidence/fusion.ts'
import { measureQuestion } from '../../src/core/signals/measure-question.ts'
import type { Signals } from '../../src/core/signals/measure.ts'
import { idfMass } from '../../src/core/text/lexicon.ts'
import { createTermReader, terms } from '../../src/core/text/terms.ts'
import { openQuestionSet } from '../evaluation/question-sets.ts'

/** A question as measured. */
export interface MeasuredLabel {
  readonly answerable: boolean
  readonly signals: Signals
  /** Without the passages that answer it; of answerable questions only. */
  readonly hidden?: Signals
}

const TOP_K = 10
/** Retrieved before any passage is hidden. */
const CANDIDATES = 30
const MOST_QUESTIONS = 1200

/** Measures a family as the gate measures questions. */
export function measuredFamily(name: string): readonly MeasuredLabel[] {
  const { lexicon, questions, search } = openQuestionSet(name)
  const reader = createTermReader()
  const every = Math.max(1, Math.ceil(questions.length / MOST_QUESTIONS))
  return questions
    .filter((_, at) => at % every === 0)
    .map(({ question, answerable, relevantIds }): MeasuredLabel => {
      const rankings = search(question, CANDIDATES)
      const seen = (hidden: readonly string[]): Signals => {
        const left = hideFromRankings(rankings, hidden).map(({ kind, entries }) => ({
          kind,
          entries: entries.slice(0, TOP_K),
        }))
        const evidence = fuseConvex(left, { idfMass: idfMass(lexicon, terms(question)), topK: TOP_K })
        return measureQuestion(question, evidence, lexicon, reader)
      }
      return { answerable, signals: seen([]), ...(answerable ? { hidden: seen(relevantIds) } : {}) }
    })
}
