/** What is known about an answer once its text is gone. */

/** What was reported by a route and could not be used. */
export type UnusableReport = 'generationConfidence' | 'attribution'

/** How trustworthy the kind of a source is, in the order of the advisory profile. */
export type SourceKind = 'government' | 'regulatory' | 'market-data' | 'third-party' | 'unknown'

/** How one sentence of the answer is held by the passages. */
export interface SentenceSupport {
  /** Distinct terms of the sentence; 0 when it says nothing that could be checked. */
  readonly termCount: number
  /** Share of those terms that the passages hold, 0..1. */
  readonly termShare: number
  /** Figures that no passage holds. */
  readonly missingNumbers: number
  /** Names that no passage holds. */
  readonly missingNames: number
  /** Citations of passages that were not retrieved. */
  readonly unknownCitations: number
}

/** How much of the answer one chunk holds. */
export interface ChunkOverlap {
  readonly chunkId: string
  /** Distinct words of answer and chunk in common, cut at white space, letter case folded. */
  readonly words: number
  /** Distinct terms in common: stemmed, stop words left out. */
  readonly terms: number
  /**
   * Terms of the sentences that cite the chunk and that it holds; a term that several cited chunks hold is divided among
   * them. Absent in older records.
   */
  readonly cited?: number
  /** How sure retrieval was of the chunk, 0..1; absent when no score of it says so. */
  readonly confidence?: number
}

/** A share of the answer's support, as a route reported it. */
export interface EvidenceShare {
  readonly chunkId: string
  /** 0..1; all shares and the rest that nothing supports add up to 1. */
  readonly share: number
}

/** Everything that is known about an answer once its text is gone. JSON, finite numbers only. */
export interface AnswerSignals {
  /** Whether there was an answer to read. */
  readonly readable: boolean
  /** Reported values that were there and could not be used; what was not reported is absent. */
  readonly unusable: readonly UnusableReport[]
  /** The model's own confidence, 0..1. */
  readonly generationConfidence?: number
  /** One entry a sentence, in order. */
  readonly sentences: readonly SentenceSupport[]
  /** One entry a chunk, best chunk first. */
  readonly overlaps: readonly ChunkOverlap[]
  /** Distinct terms of the answer. */
  readonly termCount: number
  /** Those that no chunk holds. */
  readonly unsupportedTermCount: number
  /** Shares that the route reported, in its order. */
  readonly reportedShares?: readonly EvidenceShare[]
  /** Rest of the reported support that no chunk has, 0..1. */
  readonly reportedNoSupport?: number
  /** Kinds of the cited sources, one a source. */
  readonly citedSources: readonly SourceKind[]
  /** Which of the policy's fields the answer has; absent when there was no structured answer to look at. */
  readonly structure?: AnswerStructure
}

/** A structured answer against the fields that a policy names. */
export interface AnswerStructure {
  /** Whether it was a JSON object. */
  readonly valid: boolean
  /** Fields that were looked for. */
  readonly lookedFor: readonly string[]
  /** Those of them that were missing. */
  readonly missing: readonly string[]
}
