/** What is measured of an answer. */
export type { AnswerInput, GenerationConfidenceSource, GenerationReport } from './answer-input.ts'
export type {
  AnswerSignals,
  AnswerStructure,
  ChunkOverlap,
  EvidenceShare,
  SentenceSupport,
  SourceKind,
} from './answer-signals.ts'
