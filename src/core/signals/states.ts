import type { Signal } from './signal.ts'

/** Whether statements beside the question were left out (`QuestionParts`). */
export const states: Signal<boolean> = {
  name: 'states',
  mayLack: true,
  measure: (subject) => subject.states ?? false,
}
