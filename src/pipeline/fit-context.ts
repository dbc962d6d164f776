/** After ranking, before measuring: the evidence within the budget of what the model will read. */
import { buildContext, type Context, type ContextBudget } from '../core/evidence/context.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { Finding } from '../core/gates/finding.ts'
import { refusal } from '../core/policy/judge.ts'
import { CONTEXT } from '../core/policy/text-findings.ts'

/** The context for the model, and the evidence that is measured and judged. */
export interface FittedContext {
  readonly context: Context
  /** What the model will read of the evidence; all of it where nothing fits, so that the refusal can show it. */
  readonly evidence: Evidence
  /** About what was cut; none when everything fits. `context_empty` refuses. */
  readonly findings: readonly Finding[]
}

/** Cuts the evidence to the budget: a chunk that no model reads supports nothing, so it is not measured either. */
export function fitContext(budget: ContextBudget, evidence: Evidence): FittedContext {
  const context = buildContext(evidence.chunks, budget)
  if (!context.cut) return { context, evidence, findings: [] }
  if (context.chunks.length === 0) return { context, evidence, findings: [CONTEXT_EMPTY] }
  const findings = [contextCut(context.chunks.length, evidence.chunks.length)]
  return { context, evidence: { ...evidence, chunks: context.chunks }, findings }
}

const CONTEXT_EMPTY = refusal('context_empty', { gate: CONTEXT })

function contextCut(shown: number, found: number): Finding {
  const message = `${shown} of ${found} passages fit into the context`
  return { ...refusal('context_cut', { gate: CONTEXT, message }), outcome: 'skip', actual: shown }
}
