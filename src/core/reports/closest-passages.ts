/** The passages that came closest to a refused question, by name: what to read instead, or what to ask about. */
import type { Chunk } from '../evidence/chunk.ts'
import { placeOf } from '../evidence/place.ts'
import type { Audience } from '../policy/preset.ts'

/** Where a passage is from, without its text and without any figure. */
export interface ClosestPassage {
  /** Title of the document; for operators its id where it has none. */
  readonly title: string
  /** Operators only, like the source. */
  readonly section?: string
  readonly source?: string
}

/** How many are named, and to whom. */
export interface ClosestPassagesOptions {
  /** At most, 0 and up. */
  readonly count: number
  readonly audience: Audience
}

/**
 * Names the best passages: for operators each section of a document once, for the public each title, and nothing of
 * documents without one. How close they came is left out.
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
