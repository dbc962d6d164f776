import { terms } from '../text/terms.ts'
import type { Signal } from './signal.ts'

/** Number of terms of the question as it was asked. */
export const askedTermCount: Signal<number> = {
  name: 'askedTermCount',
  of: 'question',
  measure: ({ question, language }) => terms(question, language).length,
}
