import { terms } from '../text/terms.ts'
import type { Signal } from './signal.ts'

/** Number of terms of the original question. */
export const askedTermCount: Signal<number> = {
  name: 'askedTermCount',
  of: 'question',
  measure: ({ question, language }) => terms(question, language).length,
}
