import { isReadable } from '../text/readable.ts'
import type { Signal } from './signal.ts'

/** Whether enough of the question is readable (`isReadable`). */
export const questionReadable: Signal<boolean> = {
  name: 'questionReadable',
  of: 'question',
  measure: ({ question }) => isReadable(question),
}
