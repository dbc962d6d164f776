/** What each retrieval method said about the evidence, by its scores alone. */
import type { Chunk, ScoreKind } from '../evidence/chunk.ts'
import type { Signal } from './signal.ts'

/** How many scores of a kind are recorded. */
export const SCORES_RECORDED = 20

/** What a retrieval method said about the evidence, so that any threshold can be judged again later. */
export interface ScoreCurve {
  /** The scores of this kind, highest first, at most twenty. */
  readonly scores: readonly number[]
  /** Whether the two highest come from one document; `false` when there are fewer than two. */
  readonly topPairSharesDocument: boolean
}

/** Scores by kind; a kind is absent when no chunk carries it. */
export type ScoreCurves = Readonly<Partial<Record<ScoreKind, ScoreCurve>>>

/** The curves of all kinds. */
export const curves: Signal<ScoreCurves> = { name: 'curves', measure: ({ evidence }) => scoreCurves(evidence.chunks) }

function scoreCurves(chunks: readonly Chunk[]): ScoreCurves {
  const kinds = new Set(chunks.flatMap(({ scores }) => Object.keys(scores) as ScoreKind[]))
  return Object.fromEntries(Array.from(kinds, (kind) => [kind, curveOf(kind, chunks)]))
}

function curveOf(kind: ScoreKind, chunks: readonly Chunk[]): ScoreCurve {
  const scored = chunks
    .flatMap(({ scores: { [kind]: score }, documentId }) => (score === undefined ? [] : { score, documentId }))
    .sort((a, b) => b.score - a.score)
  const [first, second] = scored
  return {
    scores: scored.slice(0, SCORES_RECORDED).map(({ score }) => score),
    topPairSharesDocument: second !== undefined && first!.documentId === second.documentId,
  }
}
