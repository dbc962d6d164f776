/** What the gate sets as `c.var.ragGate` for the route's handler. */
import { frozenCopy } from '../core/lib/frozen-copy.ts'
import { CAUTION_FOR_MODEL } from '../core/reports/caution.ts'
import type { Context as EvidenceContext } from '../core/evidence/context.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { placeOf } from '../core/evidence/place.ts'
import { judgesAnswers } from '../core/policy/judge.ts'
import type { Policy } from '../core/policy/policy.ts'
import { type Audience } from '../core/policy/preset.ts'
import { type DecisionSummary, summariseDecision, type MessagesByCode } from '../core/reports/refusal.ts'
import type { TokenUsage } from '../core/reports/savings.ts'
import type { GenerationReport } from '../core/answer/answer-input.ts'
import type { Principal } from '../ports/authenticator.ts'

/** A source that an answer may cite. */
export interface Citation {
  /** Number of the passage in the context: 1 for `[1]`. */
  readonly number: number
  readonly id: string
  readonly document_id: string
  readonly title?: string
  readonly section?: string
  readonly source?: string
}

/** What the handler reports about its answer. */
export interface AnswerReport extends GenerationReport {
  /** The answer's text, for a policy that judges answers, when the response has no JSON member `answer`. */
  readonly answer?: string
  readonly model?: string
  readonly usage?: TokenUsage
  /** Whether the model finished its answer. A truncated answer is sent but never stored. Default true. */
  readonly complete?: boolean
}

/** A question that may be answered, with its evidence, as the handler gets it. */
export interface RagGateContext {
  /** Normalised. */
  readonly question: string
  readonly principal: Principal
  readonly decision: Decision
  readonly evidence: Evidence
  /** The evidence that fits the context budget, numbered and delimited for a prompt. */
  readonly context: EvidenceContext
  /** The chunks of the context as sources, in the same order. */
  readonly citations: readonly Citation[]
  /** A caution for the model if the verdict is `advise`; absent otherwise. */
  readonly caution?: string
  /** The part of the decision that the caller may see, to be spread into a JSON answer. */
  readonly summary: DecisionSummary
  /** Whether the answer is judged before it is sent; then the handler must return JSON, not a stream. */
  readonly answerIsJudged: boolean
  /** Reports facts about the answer. Later reports are merged into earlier ones. */
  readonly report: (report: AnswerReport) => void
}

/** Bindings and variables of a route behind the gate. */
export interface RagGateEnv<Bindings extends object = object> {
  Bindings: Bindings
  Variables: { ragGate: RagGateContext }
}

/** Input of `makeGateContext`. */
export interface RagGateContextInput {
  readonly question: string
  readonly principal: Principal
  readonly decision: Decision
  readonly evidence: Evidence
  readonly audience: Audience
  readonly context: EvidenceContext
  /** The policy that judged the question. */
  readonly policy: Policy
  readonly messages?: MessagesByCode | undefined
}

/** Makes the handler's context, and gives the middleware access to the handler's reports. */
export function makeGateContext(input: RagGateContextInput): {
  readonly gateContext: RagGateContext
  readonly reported: () => AnswerReport
} {
  const { question, principal, decision, evidence, context, audience, policy, messages } = input
  let report: AnswerReport = {}
  const gateContext: RagGateContext = {
    question,
    // Copies, because judging, storing, purging and recording use the originals.
    principal: frozenCopy(principal),
    decision: frozenCopy(decision),
    evidence: frozenCopy(evidence),
    context: frozenCopy(context),
    citations: context.chunks.map((chunk, at) => ({
      number: at + 1,
      id: chunk.id,
      document_id: chunk.documentId,
      ...placeOf(chunk),
    })),
    ...(decision.verdict === 'advise' && { caution: CAUTION_FOR_MODEL }),
    summary: summariseDecision(decision, evidence.chunks, {
      audience,
      policy,
      messages,
    }),
    answerIsJudged: judgesAnswers(policy),
    report: (more) => {
      report = { ...report, ...more }
    },
  }
  return { gateContext, reported: () => report }
}
