/** Findings about texts: no signals give them again, so a decision that is judged again keeps them. */
import type { Finding } from '../gates/finding.ts'
import { isOfRule } from './rules.ts'

/** Names the context among the gates of findings. */
export const CONTEXT = 'context'

/** Whether a finding is about what was cut of the context, or is a rule's. */
export function isOfTexts({ gate }: Pick<Finding, 'gate'>): boolean {
  return gate === CONTEXT || isOfRule(gate)
}
