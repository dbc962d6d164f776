import { isReadable } from '../text/readable.ts'
import type { Signal } from './signal.ts'

/** Whether enough of the question can be read (`isReadable`). */
export const questionReadable: Signal<boolean> = {
  name: 'questionReadable',
  of: 'question',
  measure: ({ question }) => isReadable(question),
}
