/** Types for measuring answers. */
export type { AnswerInput, GenerationConfidenceSource, GenerationReport } from './answer-input.ts'
export type {
  AnswerSignals,
  AnswerStructure,
  ChunkOverlap,
  EvidenceShare,
  SentenceSupport,
  SourceKind,
} from './answer-signals.ts'
