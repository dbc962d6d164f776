/** Evidence: the ranked chunks for one question, with the score of every method that returned them. */
import { isScore } from './score-kinds.ts'
import { RagGateError } from '../../errors.ts'
import type { Chunk, Passage, Ranking, ScoreKind, Scores } from './chunk.ts'

/** The ranked chunks for one question. */
export interface Evidence {
  /** The score by which the chunks are ordered. */
  readonly rankedBy: ScoreKind
  /** Best first; ties keep retrieval order. */
  readonly chunks: readonly Chunk[]
  /** The methods used, whether or not they found anything. */
  readonly kinds: readonly ScoreKind[]
  /** Number of entries dropped because their score was not a number within the range of its kind. */
  readonly dropped: number
}

/** Share of invalid scores above which a retriever counts as broken. */
const FAULT_ABOVE = 1 / 5

/** A passage with the scores collected for it so far. */
export interface Collected {
  readonly passage: Passage
  readonly scores: Scores
}

/**
 * Merges rankings by chunk id, in order of first appearance. A chunk that occurs twice in one ranking keeps its first
 * place; a chunk without a document is treated as its own document. Entries with an invalid score are dropped and
 * counted.
 *
 * @throws `retriever_bad_response` when more than a fifth of all entries were dropped, which is a failure and not weak
 *   evidence
 */
export function collect(rankings: readonly Ranking[]): {
  readonly collected: readonly Collected[]
  readonly dropped: number
} {
  const byId = new Map<string, { passage: Passage; scores: { -readonly [kind in ScoreKind]?: number } }>()
  let received = 0
  let dropped = 0
  for (const { kind, entries } of rankings) {
    for (const { passage, score } of entries) {
      received++
      if (!isScore(kind, score)) {
        dropped++
        continue
      }
      const known = byId.get(passage.id)
      if (known === undefined) byId.set(passage.id, { passage: ofADocument(passage), scores: { [kind]: score } })
      else known.scores[kind] ??= score
    }
  }
  if (dropped > received * FAULT_ABOVE) {
    throw new RagGateError('retriever_bad_response', 'Too many scores out of range')
  }
  return { collected: [...byId.values()], dropped }
}

/** Fills in a missing document id, so that two such passages do not count as one document. */
function ofADocument(passage: Passage): Passage {
  const { id, documentId }: Partial<Passage> & Pick<Passage, 'id'> = passage
  return (documentId ?? '') === '' ? { ...passage, documentId: id } : passage
}

/** Orders evidence by one of its scores; chunks without that score come last. */
export function rankBy(
  kind: ScoreKind,
  collected: readonly Collected[],
  facts: { readonly kinds: readonly ScoreKind[]; readonly dropped: number; readonly topK: number },
): Evidence {
  const chunks = collected
    .map(({ passage, scores }): Chunk => ({ ...passage, scores }))
    .sort((a, b) => (b.scores[kind] ?? -Infinity) - (a.scores[kind] ?? -Infinity) || 0)
    .slice(0, facts.topK)
  return { rankedBy: kind, chunks, kinds: facts.kinds, dropped: facts.dropped }
}
