/** The front door: the middleware, policies and gates, and the types that a service meets. */
export { ragGate } from './middleware/rag-gate.ts'
export { questionHmac } from './pipeline/question-hmac.ts'
export { reranking, type RerankingOptions } from './pipeline/reranking.ts'
export { respondWithError } from './middleware/respond.ts'
export type { GateDependencies } from './middleware/dependencies.ts'
export type { RagGateContext, RagGateEnv } from './middleware/gate-context.ts'
export type { RagGateOptions } from './middleware/options.ts'
export { isRagGateError, RagGateError, type RagGateErrorCode } from './errors.ts'

export { balanced } from './presets/balanced/balanced.ts'
export {
  definePolicy,
  type Policy,
  type PolicyInput,
  policySettings,
  type PolicySettings,
  resolvePolicy,
} from './core/policy/policy.ts'
export { logistic } from './core/policy/logistic.ts'
export type { ConfidenceModel } from './core/policy/confidence.ts'
export type { Band, Decision } from './core/policy/decision.ts'
export { defineRule, mentions, refuseTopics, type Rule } from './core/policy/rules.ts'
export { measure } from './core/policy/measure.ts'
export type { Signals } from './core/signals/measure.ts'
export { judge } from './core/policy/judge.ts'

export { defineGate, type Gate, gateWith, type PolicyGate } from './core/gates/gate.ts'
export type { Finding, ReasonCode, Verdict } from './core/gates/finding.ts'
export { confidenceRange } from './core/gates/confidence-range.ts'
export { gradedRelevance } from './core/gates/graded-relevance.ts'
export { loneTerm } from './core/gates/lone-term.ts'
export { minTopCosine } from './core/gates/min-top-cosine.ts'
export { questionLength } from './core/gates/question-length.ts'
export { readableQuestion } from './core/gates/readable-question.ts'
export { runTogether } from './core/gates/run-together.ts'

export type { Chunk, Passage, Ranking, ScoreKind, Scores } from './core/evidence/chunk.ts'
export type { Evidence } from './core/evidence/evidence.ts'
export { buildLexicon, EMPTY_LEXICON, type Lexicon } from './core/text/lexicon.ts'
export type { Language } from './core/text/language.ts'

export type { AnswerCache } from './ports/answer-cache.ts'
export type { Authenticate, Principal } from './ports/authenticator.ts'
export type { Reranker } from './ports/reranker.ts'
export type { RetrievalRequest, Retriever } from './ports/retriever.ts'
