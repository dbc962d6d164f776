import type { Signal } from './signal.ts'

/** Whether sentences beside the question were left out that only state something (`QuestionParts`). */
export const states: Signal<boolean> = {
  name: 'states',
  mayLack: true,
  measure: (subject) => subject.states ?? false,
}
