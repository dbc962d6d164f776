import type { Json } from '../lib/json.ts'

/** Kind of a score. Every score is stored with its kind. */
export type ScoreKind =
  /** Raw cosine of two embeddings, −1..1. */
  | 'cosine'
  /** Okapi BM25, 0 and up; comparable between questions only when divided by the question's idf mass. */
  | 'bm25'
  /** Reciprocal rank fusion. */
  | 'rrf'
  /** Distribution-based score fusion. */
  | 'dbsf'
  /** Convex combination of scores scaled to 0..1. */
  | 'convex'
  /** Cross-encoder relevance, 0..1. */
  | 'cross-encoder'
  /** A language model's relevance grade, 0..3. */
  | 'grade'
  /** A fused score boosted by a knowledge graph. */
  | 'boosted'
  /** The boost of a chunk by a knowledge graph, 0 and up. */
  | 'graph-boost'

/** Scores of one chunk, by kind. A kind is absent if that method did not return the chunk; `0` is a score. */
export type Scores = Readonly<Partial<Record<ScoreKind, number>>>

/** A stored passage, as ingestion writes it and an index returns it. */
export interface Passage {
  /** Content-based id: see `chunkId`. */
  readonly id: string
  /** Id of its document. */
  readonly documentId: string
  /** The text that is searched, measured and quoted. */
  readonly text: string
  /** Title of the document. */
  readonly title?: string
  /** Path of headings above the passage, outermost first, joined by ` › `. */
  readonly section?: string
  /** Where the document can be read, if anywhere. */
  readonly source?: string
  /** The document's own version, if it has one. */
  readonly version?: string
  /** Any other data stored with it. */
  readonly metadata?: Readonly<Record<string, Json>>
}

/** A retrieved passage with the score of every method that returned it. */
export interface Chunk extends Passage {
  readonly scores: Scores
}

/** Results of one retrieval method, best first. */
export interface Ranking {
  /** Kind of its scores. */
  readonly kind: ScoreKind
  readonly entries: readonly { readonly passage: Passage; readonly score: number }[]
}
