/** Builds refusals, and the operator's view of decisions. */
import type { RerankerOutcome } from '../evidence/rerank.ts'
import type { AnswerSignals } from '../answer/answer-signals.ts'
import type { Chunk, Scores } from '../evidence/chunk.ts'
import { placeOf } from '../evidence/place.ts'
import type { Finding, ReasonCode, Verdict } from '../gates/finding.ts'
import type { GateSettings } from '../gates/gate.ts'
import type { Text } from '../gates/text.ts'
import { type Calibration, calibrationOf } from '../policy/confidence.ts'
import type { Band, Decision } from '../policy/decision.ts'
import { ENGINE_TEXTS } from '../policy/engine-texts.ts'
import type { Policy } from '../policy/policy.ts'
import type { Audience, FurtherMembers } from '../policy/preset.ts'
import type { AppliedScale } from '../scale/collection-scale.ts'
import { withDefaults } from '../lib/options.ts'
import type { Signals } from '../signals/measure.ts'
import { closestPassages, type ClosestPassage } from './closest-passages.ts'
import { explain, type Explanation } from './explain.ts'

/** Custom texts that replace those of a policy, by reason code, for example in another language. */
export type MessagesByCode = (code: ReasonCode) => Partial<Text> | undefined

/** Options of reports: audience, policy and texts. */
export interface ReportOptions {
  readonly audience: Audience
  /** The policy that judged. */
  readonly policy: Policy
  /** @default the texts of the policy */
  readonly messages?: MessagesByCode | undefined
  /** Sentences of the answer that the passages do not support, shown to operators only. @default none */
  readonly unsupported?: readonly string[]
  /** Most passages that a refusal names as closest; for the public by title only. @default 0 */
  readonly closestPassages?: number
}

/** A chunk as shown to operators. */
export interface ShownChunk {
  readonly id: string
  readonly document_id: string
  readonly title?: string
  readonly section?: string
  readonly source?: string
  readonly text: string
  readonly scores: Scores
}

/** Origin and age of a scale, as shown to operators. */
export interface ShownScale {
  readonly origin: 'documents'
  /** RFC 3339. */
  readonly learned_at: string
  /** Present if documents have changed since. */
  readonly stale?: true
}

/** The figures behind a decision, for operators. */
export interface OperatorDetail {
  readonly confidence: number
  /** The reason, in a fixed sentence; `refusal_reason` has the figures. */
  readonly reason: string
  readonly findings: readonly Finding[]
  /** The policy's gates with their thresholds. */
  readonly gates: readonly GateSettings[]
  readonly explanation: Explanation
  readonly signals: Signals
  /** The scale that was applied to the confidence; absent if the collection has none for the policy. */
  readonly scale?: ShownScale
  /** Outcome of the reranker. */
  readonly reranker: RerankerOutcome
  /** Present if the policy judged the answer. */
  readonly answer_signals?: AnswerSignals
  /** Sentences of the answer that the passages do not support, verbatim. */
  readonly unsupported_sentences?: readonly string[]
  /** The evidence, best first. */
  readonly chunks: readonly ShownChunk[]
}

/** The part of a decision in every answer and refusal. A policy's preset may add members. */
export interface DecisionSummary extends FurtherMembers {
  readonly decision_id: string
  readonly verdict: Verdict
  readonly band: Band
  readonly reason_code: ReasonCode
  /** How the confidence was calibrated; only `calibrated` promises an error rate. Absent if the policy does not state it. */
  readonly calibration?: Calibration
  /** Present on a refusal that is marked for human review. */
  readonly escalate?: true
  /** A caution for the reader, beside an answer with the verdict `advise`; a custom text replaces it. */
  readonly caution?: string
  /** Operators only. */
  readonly detail?: OperatorDetail
}

/** A refusal as sent. */
export interface Refusal extends DecisionSummary {
  /** Text in place of the answer. */
  readonly answer: string
  readonly sources: readonly never[]
  readonly refused: true
  /** A fixed sentence for the public, the figures for operators. */
  readonly refusal_reason: string
  /** What the user can do. */
  readonly suggestions: readonly string[]
  /** The closest passages, best first; absent if none are to be named, or there are none. */
  readonly closest?: readonly ClosestPassage[]
}

/** The text for a code: the custom text if there is one, else the policy's, else the engine's. */
export function textFor(code: ReasonCode, { texts }: Pick<Policy, 'texts'>, messages?: MessagesByCode): Text {
  return withDefaults(messages?.(code), texts[code] ?? ENGINE_TEXTS.nothing_judged)
}

/** The summary of a decision for an audience. */
export function summariseDecision(
  decision: Decision,
  chunks: readonly Chunk[],
  reportOptions: ReportOptions,
): DecisionSummary {
  const { id, verdict, band, reason, escalate } = decision
  const { audience, policy, messages } = reportOptions
  const calibration = calibrationOf(policy.confidence, decision.signals)
  const caution = verdict === 'advise' && messages?.(reason)?.reason
  return {
    decision_id: id,
    verdict,
    band,
    reason_code: reason,
    ...(calibration && { calibration }),
    ...(escalate && { escalate }),
    ...(caution && { caution }),
    ...policy.preset?.summary?.({ decision, chunks, audience, gates: policy.gates }),
    ...(audience === 'operator' && { detail: detailOf(decision, chunks, reportOptions) }),
  }
}

function detailOf(
  decision: Decision,
  chunks: readonly Chunk[],
  { policy, messages, unsupported = [] }: ReportOptions,
): OperatorDetail {
  const { confidence, reason, findings, signals, answerSignals, reranker } = decision
  return {
    confidence,
    reason: textFor(reason, policy, messages).reason,
    findings,
    gates: policy.gates.map(({ settings }) => settings),
    explanation: explain(decision, policy),
    signals,
    ...(signals.scale && { scale: shownScale(signals.scale, decision) }),
    reranker,
    ...(answerSignals && { answer_signals: answerSignals }),
    ...(unsupported.length > 0 && { unsupported_sentences: unsupported }),
    chunks: chunks.map(showChunk),
  }
}

function shownScale({ learnedAtMs, corpusVersion }: AppliedScale, now: Decision): ShownScale {
  const stale = corpusVersion !== now.corpusVersion
  return { origin: 'documents', learned_at: new Date(learnedAtMs).toISOString(), ...(stale && { stale }) }
}

/**
 * Builds the refusal for a decision.
 *
 * @param chunks the evidence; shown to operators, and by title to the public if `closestPassages` is above 0
 */
export function buildRefusal(decision: Decision, chunks: readonly Chunk[], reportOptions: ReportOptions): Refusal {
  const { audience, policy, messages, closestPassages: count = 0 } = reportOptions
  const closest = closestPassages(chunks, { count, audience })
  const { answer, reason, suggestions } = refusalTextOf(decision, policy, messages)
  return {
    answer,
    sources: [],
    refused: true,
    refusal_reason: audience === 'operator' ? (operatorReason(decision, policy) ?? reason) : reason,
    suggestions,
    ...(closest.length > 0 && { closest }),
    ...policy.preset?.refusal?.({ decision, chunks, audience, gates: policy.gates }, policy.wording),
    ...summariseDecision(decision, chunks, reportOptions),
  }
}

/** The public text: a custom text, else the rule's own, else that of the code. */
function refusalTextOf({ reason, findings }: Decision, policy: Policy, messages?: MessagesByCode): Text {
  const text = textFor(reason, policy)
  const { publicText } = findings.find(({ outcome }) => outcome === 'refuse') ?? {}
  const own = publicText === undefined ? text : { ...text, answer: publicText, reason: publicText }
  return withDefaults(messages?.(reason), own)
}

/** The reason of a refusal with figures; `undefined` if no finding refuses. */
export function operatorReason(decision: Decision, { preset, wording }: Policy): string | undefined {
  const deciding = decision.findings.find(({ outcome }) => outcome === 'refuse')
  return deciding && (preset?.operatorReason?.(deciding, decision, wording) ?? deciding.message)
}

function showChunk(chunk: Chunk): ShownChunk {
  const { id, documentId, text, scores } = chunk
  return { id, document_id: documentId, ...placeOf(chunk), text, scores }
}
