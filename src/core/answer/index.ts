/** What is measured of an answer. */
export type { AnswerSignals, EvidenceShare, SourceKind } from './answer-signals.ts'
export { measureAnswer } from './measure-answer.ts'
export type { GenerationConfidenceSource, GenerationReport } from './measure-answer.ts'
export { reportedModel, reportedTokens } from './reported-facts.ts'
