/** The scores that each retrieval method gave the evidence. */
import type { Chunk, ScoreKind } from '../evidence/chunk.ts'
import type { Signal } from './signal.ts'

/** Most scores of a kind that are recorded. */
export const SCORES_RECORDED = 20

/** Scores of one retrieval method, recorded so that any threshold can be evaluated later. */
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
