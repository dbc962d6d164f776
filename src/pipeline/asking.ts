/** A question on its way from the retriever to the verdict, and what each step of it is given. */
import type { Finding } from '../core/gates/finding.ts'
import type { Judgement } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import type { Lexicon } from '../core/text/lexicon.ts'
import { measure, type Signals } from '../core/signals/measure.ts'
import type { PassageFilter } from '../core/evidence/passage-filter.ts'
import { judge, type Policy } from '../core/policy/policy.ts'
import type { RerankerOutcome } from '../core/evidence/rerank.ts'
import { askRules } from '../core/policy/rules.ts'
import type { Collection } from '../ports/collections.ts'
import type { AskedQuestion, GatePorts, GateSettings } from './gate-question.ts'
import { rerankEvidence } from './rerank-evidence.ts'

/** A question, and all that its steps share. */
export interface Asking {
  readonly ports: GatePorts
  readonly settings: GateSettings
  readonly asked: AskedQuestion
  readonly collection: Collection
  readonly lexicon: Lexicon
  readonly policy: Policy
  /** Which passages it may be answered from; `undefined` for all. */
  readonly filter: PassageFilter | undefined
}

/** Evidence, measured and judged. */
export interface JudgedEvidence {
  readonly evidence: Evidence
  readonly reranker: RerankerOutcome
  readonly signals: Signals
  readonly judgement: Judgement
  /** Time spent in reranking, milliseconds. */
  readonly rerankMs: number
}

/** Has evidence reranked, measured against the question as it was asked, and judged. */
export async function judgeEvidence(
  asking: Asking,
  evidence: Evidence,
  rerankTimeoutMs: number,
): Promise<JudgedEvidence> {
  const { ports, asked } = asking
  const startedMs = ports.clock.nowMs()
  const reranked = await rerankEvidence(ports.reranker, rerankTimeoutMs, asked.question, evidence)
  const rerankMs = ports.clock.nowMs() - startedMs
  return {
    evidence: reranked.evidence,
    reranker: reranked.outcome,
    rerankMs,
    ...measureAndJudge(asking, reranked.evidence),
  }
}

/**
 * The two steps of deciding, with the service's own rules between them.
 *
 * @param more findings that are not about the evidence
 */
export function measureAndJudge(
  { settings, asked: { question }, lexicon, policy }: Pick<Asking, 'settings' | 'asked' | 'lexicon' | 'policy'>,
  evidence: Evidence,
  more: readonly Finding[] = [],
): Pick<JudgedEvidence, 'signals' | 'judgement'> {
  const signals = measure(question, evidence, lexicon)
  const findings = askRules(settings.rules ?? [], { question, evidence, signals })
  return { signals, judgement: judge(policy, signals, [...findings, ...more]) }
}
