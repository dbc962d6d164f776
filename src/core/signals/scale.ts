import type { AppliedScale, Signal } from './signal.ts'

/** `null` where the collection has none for the policy. */
export const scale: Signal<AppliedScale | null> = {
  name: 'scale',
  mayLack: true,
  measure: (subject) => subject.scale ?? null,
}
