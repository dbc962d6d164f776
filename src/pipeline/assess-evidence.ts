/** From evidence to judgement: rerank, fit the context, measure, judge. */
import type { Context } from '../core/evidence/context.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { RerankerOutcome } from '../core/evidence/rerank.ts'
import type { Finding } from '../core/gates/finding.ts'
import type { Judgement } from '../core/policy/decision.ts'
import { judge } from '../core/policy/judge.ts'
import { measure } from '../core/policy/measure.ts'
import type { Policy } from '../core/policy/policy.ts'
import type { AppliedScale } from '../core/scale/collection-scale.ts'
import type { Signals } from '../core/signals/measure.ts'
import type { QuestionParts } from '../core/text/language.ts'
import type { Lexicon } from '../core/text/lexicon.ts'
import { fitContext } from './fit-context.ts'
import type { QuestionPorts, QuestionSettings } from './question-settings.ts'

/** Measured and judged evidence. */
export interface AssessedEvidence {
  /** The judged evidence: as much as the model will read. */
  readonly evidence: Evidence
  readonly context: Context
  readonly reranker: RerankerOutcome
  readonly signals: Signals
  readonly judgement: Judgement
  /** Time spent reranking, milliseconds; absent without a reranker. */
  readonly rerankMs?: number
}

/** A question, parsed once for all stages. */
export interface AskedQuestion {
  /** Normalised. */
  readonly question: string
  /** Its parts according to the policy's language. */
  readonly parts: QuestionParts | undefined
}

/** Everything by which evidence is judged. */
export interface Measures {
  readonly asked: AskedQuestion
  readonly policy: Policy
  readonly lexicon: Lexicon
  readonly scale: AppliedScale | undefined
}

/** Judges retrieved evidence, after the reranker if there is one. */
export async function assessEvidence(
  { reranker, clock, lasting, onWarning }: Pick<QuestionPorts, 'reranker' | 'clock' | 'lasting' | 'onWarning'>,
  { context: budget, rules }: Pick<QuestionSettings, 'context' | 'rules'>,
  { asked: { question, parts }, policy, lexicon, scale }: Measures,
  retrieved: Evidence,
): Promise<AssessedEvidence> {
  /** The stages after the reranker; all are synchronous. */
  const judged = (ordered: Evidence, outcome: RerankerOutcome, read: readonly Finding[] = []): AssessedEvidence => {
    const { context, evidence, findings } = fitContext(budget, ordered)
    const signals = measure(policy, { question, parts, evidence, lexicon, scale, lasting })
    const said = rules.flatMap((rule) => rule.ask({ question, evidence, signals }))
    const judgement = judge(policy, signals, [...said, ...findings, ...read])
    return { evidence, context, reranker: outcome, signals, judgement }
  }
  if (reranker === undefined) return judged(retrieved, 'off')
  return reranker.assess({ question, policy, retrieved, clock, judged, onWarning })
}
