/** The passages that came closest to a refused question, by name: what to read instead, or what to ask about. */
import type { Chunk } from '../evidence/chunk.ts'

/** Where a passage is from, without its text and without any figure. */
export interface ClosestPassage {
  /** Title of the document; its id where it has none. */
  readonly title: string
  readonly section?: string
  readonly source?: string
}

/**
 * Names the best passages, each section of a document once.
 *
 * That there is such a passage is no secret to whoever may ask the collection; how close it came is left out.
 *
 * @param chunks the evidence, best first
 * @param count how many at most, 0 and up. @default 3
 * @returns none without evidence
 */
export function closestPassages(chunks: readonly Chunk[], count = 3): readonly ClosestPassage[] {
  const passages = new Map<string, ClosestPassage>()
  for (const { documentId, title, section, source } of chunks) {
    if (passages.size >= count) break
    const where = JSON.stringify([documentId, section ?? null])
    if (passages.has(where)) continue
    passages.set(where, {
      title: title ?? documentId,
      ...(section === undefined ? {} : { section }),
      ...(source === undefined ? {} : { source }),
    })
  }
  return [...passages.values()]
}
