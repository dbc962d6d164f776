/** The collection's own scale. */
import type { AppliedScale } from '../scale/collection-scale.ts'
import type { Signal } from './signal.ts'

/** `null` where the collection has none for the policy. */
export const scale: Signal<AppliedScale | null> = {
  name: 'scale',
  mayLack: true,
  measure: (subject) => subject.scale ?? null,
}
