/** What is measured of an answer. */
export type { AnswerSignals, EvidenceShare, SourceKind } from './answer-signals.ts'
export type { GenerationConfidenceSource, GenerationReport } from './answer-input.ts'
export { reportedModel, reportedTokens } from './reported-facts.ts'
export type { AnswerInput } from './answer-input.ts'
export type { AnswerStructure, ChunkOverlap, SentenceSupport } from './answer-signals.ts'
