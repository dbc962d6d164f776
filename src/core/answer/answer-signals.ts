/** Signals of an answer, which do not contain its text. */

/** A report by a route that was invalid. */
export type UnusableReport = 'generationConfidence' | 'attribution'

/** Kind of a source, by decreasing trust, as in the advisory profile. */
export type SourceKind = 'government' | 'regulatory' | 'market-data' | 'third-party' | 'unknown'

/** How the passages support one sentence of the answer. */
export interface SentenceSupport {
  /** Number of distinct terms of the sentence; 0 if nothing can be checked. */
  readonly termCount: number
  /** Share of those terms that occur in the passages, 0..1. */
  readonly termShare: number
  /** Number of figures that occur in no passage. */
  readonly missingNumbers: number
  /** Number of names that occur in no passage. */
  readonly missingNames: number
  /** Number of citations of passages that were not retrieved. */
  readonly unknownCitations: number
}

/** Overlap of the answer with one chunk. */
export interface ChunkOverlap {
  readonly chunkId: string
  /** Distinct words in common, separated by white space, case-folded. */
  readonly words: number
  /** Distinct terms in common: stems without stop words. */
  readonly terms: number
  /**
   * Terms in common with the sentences that cite the chunk; a term in several cited chunks is divided among them. Absent in
   * older records.
   */
  readonly cited?: number
  /** Retrieval confidence of the chunk, 0..1; absent if it has no suitable score. */
  readonly confidence?: number
}

/** A chunk's share of the answer's support, as reported by a route. */
export interface EvidenceShare {
  readonly chunkId: string
  /** 0..1; all shares and the unsupported rest add up to 1. */
  readonly share: number
}

/** Signals of an answer. JSON, finite numbers only. */
export interface AnswerSignals {
  /** Whether the answer could be read. */
  readonly readable: boolean
  /** Reported values that were invalid; values that were not reported are not listed. */
  readonly unusable: readonly UnusableReport[]
  /** The model's own confidence, 0..1. */
  readonly generationConfidence?: number
  /** One entry per sentence, in order. */
  readonly sentences: readonly SentenceSupport[]
  /** One entry per chunk, best first. */
  readonly overlaps: readonly ChunkOverlap[]
  /** Number of distinct terms of the answer. */
  readonly termCount: number
  /** Number of those that occur in no chunk. */
  readonly unsupportedTermCount: number
  /** Shares reported by the route, in its order. */
  readonly reportedShares?: readonly EvidenceShare[]
  /** Reported share without support, 0..1. */
  readonly reportedNoSupport?: number
  /** Kinds of the cited sources, one per source. */
  readonly citedSources: readonly SourceKind[]
  /** Which of the policy's fields the answer has; absent if there was no structured answer. */
  readonly structure?: AnswerStructure
}

/** Result of checking a structured answer for a policy's fields. */
export interface AnswerStructure {
  /** Whether it is a JSON object. */
  readonly valid: boolean
  /** Fields that were looked for. */
  readonly lookedFor: readonly string[]
  /** Fields that were missing. */
  readonly missing: readonly string[]
}
