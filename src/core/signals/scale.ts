/** The collection's own scale. */
import type { AppliedScale } from '../scale/collection-scale.ts'
import type { Signal } from './signal.ts'

/** The collection's scale for the policy; `null` if it has none. */
export const scale: Signal<AppliedScale | null> = {
  name: 'scale',
  mayLack: true,
  measure: (subject) => subject.scale ?? null,
}
