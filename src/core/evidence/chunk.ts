import type { Json } from '../lib/json.ts'

/** What a score is. A score never travels without its kind. */
export type ScoreKind =
  /** Raw cosine of two embeddings, −1..1. */
  | 'cosine'
  /** Okapi BM25, 0 and up; comparable between questions only after division by the question's idf mass. */
  | 'bm25'
  /** Reciprocal rank fusion. */
  | 'rrf'
  /** Distribution-based score fusion. */
  | 'dbsf'
  /** Convex mix of scores scaled to 0..1. */
  | 'convex'
  /** Cross-encoder relevance, 0..1. */
  | 'cross-encoder'
  /** A language model's relevance grade, 0..3. */
  | 'grade'
  /** A fused score that a knowledge graph raised. */
  | 'boosted'
  /** How far a knowledge graph raised a chunk, 0 and up. */
  | 'graph-boost'

/** Scores of one chunk, by kind. A kind is absent when that method did not return the chunk; `0` is a score. */
export type Scores = Readonly<Partial<Record<ScoreKind, number>>>

/** A passage as it is stored: what ingestion writes and an index returns. */
export interface Passage {
  /** Content-addressed: see `chunkId`. */
  readonly id: string
  /** The document it was cut from. */
  readonly documentId: string
  /** The words that are searched, measured and quoted. */
  readonly text: string
  /** Title of the document. */
  readonly title?: string
  /** Path of headings above the passage, outermost first, joined by ` › `. */
  readonly section?: string
  /** Where the document can be read, if anywhere. */
  readonly source?: string
  /** The document's own version, if it has one. */
  readonly version?: string
  /** Anything else the ingester kept. */
  readonly metadata?: Readonly<Record<string, Json>>
}

/** A retrieved passage with the score of every method that returned it. */
export interface Chunk extends Passage {
  readonly scores: Scores
}

/** What one retrieval method returned, best first as the method sees it. */
export interface Ranking {
  /** What the scores of this ranking are. */
  readonly kind: ScoreKind
  readonly entries: readonly { readonly passage: Passage; readonly score: number }[]
}
