/** After the gates, before the model: the context within its budget, and the gates asked again where it lacks something. */
import { buildContext, type Context, type ContextBudget } from '../core/evidence/context.ts'
import { type Finding, strictest } from '../core/gates/finding.ts'
import { type Judgement } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { Signals } from '../core/signals/measure.ts'

/** Budget of the context for the model. */
export interface ContextSettings {
  /** Characters of the whole context. */
  readonly maxContextCharacters: number
  /** Tokens of the whole context; needs `countTokens`. @default no limit */
  readonly maxContextTokens?: number
  /** Counts tokens as the model does. Its result must not depend on anything but the text. */
  readonly countTokens?: (text: string) => number
}

/** A judgement, and what it was made from. */
export interface JudgedSignals {
  readonly signals: Signals
  readonly judgement: Judgement
}

/** The context for the model, and the judgement that holds for it. */
export interface FittedContext extends JudgedSignals {
  readonly context: Context
  /** The evidence that was judged: what is shown, where that changed the judgement. */
  readonly evidence: Evidence
}

/**
 * Cuts the evidence to the budget. Where that took anything away, what is left is judged like any evidence, and the
 * stricter judgement holds: a chunk that no model reads supports nothing. Where nothing is left, the question is refused
 * for `context_empty`.
 *
 * @param judgeAgain measures and judges evidence as it was done before, with a finding about the context among the others
 */
export function fitContext(
  settings: ContextSettings,
  evidence: Evidence,
  judged: JudgedSignals,
  judgeAgain: (evidence: Evidence, about: Finding) => JudgedSignals,
): FittedContext {
  const context = buildContext(evidence.chunks, budgetOf(settings))
  const unchanged = { context, evidence, signals: judged.signals, judgement: judged.judgement }
  if (!context.cut || judged.judgement.verdict === 'refuse') return unchanged
  if (context.chunks.length === 0) return { ...unchanged, ...judgeAgain(evidence, CONTEXT_EMPTY) }
  const shown = { ...evidence, chunks: context.chunks }
  const again = judgeAgain(shown, contextCut(context.chunks.length, evidence.chunks.length))
  const stricter = strictest([judged.judgement.verdict, again.judgement.verdict])
  return stricter === judged.judgement.verdict ? unchanged : { context, evidence: shown, ...again }
}

const CONTEXT_EMPTY: Finding = {
  gate: 'context',
  stage: 'pre-generation',
  outcome: 'refuse',
  code: 'context_empty',
  message: 'Not one sentence of the best passage fits into the context',
}

function contextCut(shown: number, found: number): Finding {
  return {
    gate: 'context',
    stage: 'pre-generation',
    outcome: 'skip',
    code: 'context_cut',
    message: `Judged by what fits into the context: ${shown} of ${found} passages, the last perhaps in part`,
    actual: shown,
  }
}

function budgetOf({
  maxContextCharacters: maxCharacters,
  maxContextTokens: max,
  countTokens: count,
}: ContextSettings): ContextBudget {
  return { maxCharacters, ...(max === undefined || count === undefined ? {} : { tokens: { max, count } }) }
}
