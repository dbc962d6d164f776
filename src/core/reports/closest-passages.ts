/** Names the passages closest to a refused question, as further reading, or to help rephrase it. */
import type { Chunk } from '../evidence/chunk.ts'
import { placeOf } from '../evidence/place.ts'
import type { Audience } from '../policy/preset.ts'

/** Location of a passage, without text and figures. */
export interface ClosestPassage {
  /** Title of the document; for operators its id if it has none. */
  readonly title: string
  /** Operators only, like the source. */
  readonly section?: string
  readonly source?: string
}

/** Options of `closestPassages`. */
export interface ClosestPassagesOptions {
  /** At most, 0 and up. */
  readonly count: number
  readonly audience: Audience
}

/**
 * Names the best passages: for operators each section of a document once, for the public each title once, without documents
 * that have no title. Scores are not included.
 *
 * @param chunks the evidence, best first
 * @returns none without evidence
 */
export function closestPassages(
  chunks: readonly Chunk[],
  { count, audience }: ClosestPassagesOptions,
): readonly ClosestPassage[] {
  const passages = new Map<string, ClosestPassage>()
  for (const chunk of chunks) {
    if (passages.size >= count) break
    const passage = audience === 'operator' ? { title: chunk.documentId, ...placeOf(chunk) } : titleOf(chunk)
    const where = JSON.stringify(audience === 'operator' ? [chunk.documentId, chunk.section] : passage)
    if (passage !== undefined && !passages.has(where)) passages.set(where, passage)
  }
  return [...passages.values()]
}

function titleOf({ title }: Chunk): ClosestPassage | undefined {
  return title === undefined ? undefined : { title }
}
