/** What the gate leaves in `c.var.ragGate` for the route's own handler. */
import type { Context as EvidenceContext } from '../core/evidence/context.ts'
import type { Decision } from '../core/policy/decision.ts'
import type { Evidence } from '../core/evidence/evidence.ts'
import { CAUTION } from '../core/reports/messages.ts'
import type { Policy } from '../core/policy/policy.ts'
import { type Audience, type DecisionSummary, summariseDecision } from '../core/reports/refusal.ts'
import type { GenerationReport } from '../core/answer/measure-answer.ts'
import type { Principal } from '../ports/authenticator.ts'
import type { TokenUsage } from '../ports/decision-log.ts'

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
export interface Gated {
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
  /** Reports what only the handler knows. A later report adds to an earlier one. */
  readonly report: (report: AnswerReport) => void
}

/** Bindings and variables of a route behind the gate. */
export interface RagGateEnv<Bindings extends object = object> {
  Bindings: Bindings
  Variables: { ragGate: Gated }
}

/** What a `Gated` is made from. */
export interface GatedInput {
  readonly question: string
  readonly principal: Principal
  readonly decision: Decision
  readonly evidence: Evidence
  readonly audience: Audience
  readonly context: EvidenceContext
  /** The policy that judged. */
  readonly policy: Policy
}

/** Makes the handler's view, and gives the middleware the reports made through it. */
export function makeGated(input: GatedInput): { readonly gated: Gated; readonly reported: () => AnswerReport } {
  const { question, principal, decision, evidence, context, audience, policy } = input
  let report: AnswerReport = {}
  const gated: Gated = {
    question,
    principal,
    decision,
    evidence,
    context,
    citations: context.chunks.map(({ id, documentId, title, section, source }, at) => ({
      number: at + 1,
      id,
      document_id: documentId,
      ...(title === undefined ? {} : { title }),
      ...(section === undefined ? {} : { section }),
      ...(source === undefined ? {} : { source }),
    })),
    ...(decision.verdict === 'advise' ? { caution: CAUTION } : {}),
    summary: summariseDecision(decision, evidence.chunks, audience, [], policy.gates),
    report: (more) => {
      report = { ...report, ...more }
    },
  }
  return { gated, reported: () => report }
}
