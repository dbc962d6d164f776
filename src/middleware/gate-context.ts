/** What the gate leaves in `c.var.ragGate` for the route's own handler. */
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
  /** As it stands in the text: `[1]`. */
  readonly number: number
  readonly id: string
  readonly document_id: string
  readonly title?: string
  readonly section?: string
  readonly source?: string
}

/** What only the handler knows about its answer. */
export interface AnswerReport extends GenerationReport {
  /** The answer's text, for a policy that judges answers, when the response has no JSON member `answer`. */
  readonly answer?: string
  readonly model?: string
  readonly usage?: TokenUsage
  /** Whether the model ended by itself. An answer that was cut is sent, never stored. Default true. */
  readonly complete?: boolean
}

/** A question that got through, for the handler. */
export interface RagGateContext {
  /** Normalised. */
  readonly question: string
  readonly principal: Principal
  readonly decision: Decision
  readonly evidence: Evidence
  /** The evidence within the context budget, numbered and delimited for a prompt. */
  readonly context: EvidenceContext
  /** The chunks of the context as sources, in the same order. */
  readonly citations: readonly Citation[]
  /** What to tell the model when the verdict is `advise`; absent otherwise. */
  readonly caution?: string
  /** What the caller may know of the decision: to be spread into a JSON answer. */
  readonly summary: DecisionSummary
  /** Whether the answer is read and judged before it is sent: then it must come whole, as JSON, and not as a stream. */
  readonly answerIsJudged: boolean
  /** Reports what only the handler knows. A later report adds to an earlier one. */
  readonly report: (report: AnswerReport) => void
}

/** Bindings and variables of a route behind the gate. */
export interface RagGateEnv<Bindings extends object = object> {
  Bindings: Bindings
  Variables: { ragGate: RagGateContext }
}

/** What a `RagGateContext` is made from. */
export interface RagGateContextInput {
  readonly question: string
  readonly principal: Principal
  readonly decision: Decision
  readonly evidence: Evidence
  readonly audience: Audience
  readonly context: EvidenceContext
  /** The policy that judged. */
  readonly policy: Policy
  readonly messages?: MessagesByCode | undefined
}

/** Makes the handler's view, and gives the middleware the reports made through it. */
export function makeGateContext(input: RagGateContextInput): {
  readonly gateContext: RagGateContext
  readonly reported: () => AnswerReport
} {
  const { question, principal, decision, evidence, context, audience, policy, messages } = input
  let report: AnswerReport = {}
  const gateContext: RagGateContext = {
    question,
    // Copies: judging, storing, purging and recording read the originals.
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
