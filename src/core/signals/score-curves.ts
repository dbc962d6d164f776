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
  const found: { [kind in ScoreKind]?: ScoreCurve } = {}
  const kinds = new Set(chunks.flatMap((chunk) => Object.keys(chunk.scores) as ScoreKind[]))
  for (const kind of kinds) {
    const scored = chunks
      .flatMap(({ scores, documentId }) => (scores[kind] === undefined ? [] : [{ score: scores[kind], documentId }]))
      .sort((a, b) => b.score - a.score)
    found[kind] = {
      scores: scored.slice(0, SCORES_RECORDED).map(({ score }) => score),
      topPairSharesDocument: scored.length > 1 && scored[0]?.documentId === scored[1]?.documentId,
    }
  }
  return found
}
