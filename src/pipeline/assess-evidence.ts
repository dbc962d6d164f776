/** The way of evidence to its judgement: rerank, fit the context, measure, judge. */
import type { Context } from '../core/evidence/context.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { RerankerOutcome } from '../core/evidence/rerank.ts'
import type { Judgement } from '../core/policy/decision.ts'
import { judge } from '../core/policy/judge.ts'
import { measure } from '../core/policy/measure.ts'
import type { Policy } from '../core/policy/policy.ts'
import { readerFindings } from '../core/policy/reader-findings.ts'
import { askRules } from '../core/policy/rules.ts'
import type { AppliedScale } from '../core/scale/collection-scale.ts'
import type { Signals } from '../core/signals/measure.ts'
import type { QuestionParts } from '../core/text/language.ts'
import type { Lexicon } from '../core/text/lexicon.ts'
import { fitContext } from './fit-context.ts'
import type { QuestionPorts, QuestionSettings } from './question-settings.ts'
import { rerankEvidence } from './rerank-evidence.ts'

/** Evidence, measured and judged. */
export interface AssessedEvidence {
  /** What was judged: as much as the model will read. */
  readonly evidence: Evidence
  readonly context: Context
  readonly reranker: RerankerOutcome
  readonly signals: Signals
  readonly judgement: Judgement
  /** Time spent in reranking, milliseconds. */
  readonly rerankMs: number
}

/** A question, read once for all the stages that it goes through. */
export interface AskedQuestion {
  /** Normalised. */
  readonly question: string
  /** As the policy's language parts it. */
  readonly parts: QuestionParts | undefined
}

/** By what evidence is judged. */
export interface Measures {
  readonly asked: AskedQuestion
  readonly policy: Policy
  readonly lexicon: Lexicon
  readonly scale: AppliedScale | undefined
}

/**
 * Where `rerankBetween` is set, the evidence is judged without the reranker first, and that judgement stands where its
 * confidence lies outside of it.
 */
export async function assessEvidence(
  { reranker, clock, lasting, onWarning }: Pick<QuestionPorts, 'reranker' | 'clock' | 'lasting' | 'onWarning'>,
  settings: Pick<QuestionSettings, 'context' | 'rules' | 'retrieval'>,
  measures: Measures,
  retrieved: Evidence,
): Promise<AssessedEvidence> {
  const { rerankBetween, rerankTimeoutMs } = settings.retrieval
  if (reranker !== undefined && rerankBetween !== undefined) {
    const [from, below] = rerankBetween
    const withoutReranker = judgeEvidence(lasting, settings, measures, retrieved, 'spared')
    const { confidence } = withoutReranker.judgement
    if (confidence < from || confidence >= below) return { ...withoutReranker, rerankMs: 0 }
  }
  const startedMs = clock.nowMs()
  const { question } = measures.asked
  const { evidence, outcome } = await rerankEvidence(reranker, rerankTimeoutMs, question, retrieved, onWarning)
  const rerankMs = clock.nowMs() - startedMs
  return { ...judgeEvidence(lasting, settings, measures, evidence, outcome), rerankMs }
}

/** The stages after the reranker, none of which waits for anything. */
function judgeEvidence(
  lasting: QuestionPorts['lasting'],
  { context: contextSettings, rules }: Pick<QuestionSettings, 'context' | 'rules'>,
  { asked, policy, lexicon, scale }: Measures,
  ordered: Evidence,
  reranker: RerankerOutcome,
): Omit<AssessedEvidence, 'rerankMs'> {
  const { context, evidence, findings } = fitContext(contextSettings, ordered)
  const { question, parts } = asked
  const signals = measure(policy, { question, parts, evidence, lexicon, scale, lasting })
  const judgement = judge(policy, signals, [
    ...askRules(rules, { question, evidence, signals }),
    ...findings,
    ...readerFindings(policy, reranker),
  ])
  return { evidence, context, reranker, signals, judgement }
}
