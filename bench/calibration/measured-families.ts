/** The eight families of question sets as measured by the gate, with and without the answering passages. */
import { isNamed } from '../../workers/gate/leave-out.ts'
import type { Signals } from '../../src/core/signals/measure.ts'
import { benchGate, type BenchGateOptions } from '../evaluation/bench-gate.ts'
import { type LabelledQuestion, openQuestionSet } from '../evaluation/question-sets.ts'

/** A measured question. */
export interface MeasuredLabel {
  readonly answerable: boolean
  readonly signals: Signals
  /** Signals without the passages that answer it; for answerable questions only. */
  readonly hidden?: Signals
}

const MOST_QUESTIONS = 1200

/**
 * Measures a family.
 *
 * @param gate options of the gate for a question; without it the defaults
 * @param withHidden whether answerable questions are also asked without the passages that answer them
 */
export async function measuredFamily(
  name: string,
  gate: (questions: readonly LabelledQuestion[]) => BenchGateOptions = () => ({}),
  withHidden = true,
): Promise<readonly MeasuredLabel[]> {
  const set = openQuestionSet(name)
  const ask = benchGate(set, gate(set.questions))
  const every = Math.max(1, Math.ceil(set.questions.length / MOST_QUESTIONS))
  const measured: MeasuredLabel[] = []
  for (const { question, answerable, relevantIds } of set.questions.filter((_, at) => at % every === 0)) {
    const { signals } = (await ask(question)).decision
    const relevant = new Set(relevantIds)
    const without = async () => (await ask(question, (passage) => isNamed(passage, relevant))).decision.signals
    const hidden = answerable && withHidden ? { hidden: await without() } : {}
    measured.push({ answerable, signals, ...hidden })
  }
  return measured
}
