/** Findings about texts. They cannot be recomputed from signals, so judging a decision again keeps them. */
import type { Finding } from '../gates/finding.ts'
import { isOfRule } from './rules.ts'

/** Name of the context in `gate` of a finding. */
export const CONTEXT = 'context'

/** Whether a finding is about the context or from a rule. */
export function isOfTexts({ gate }: Pick<Finding, 'gate'>): boolean {
  return gate === CONTEXT || isOfRule(gate)
}
