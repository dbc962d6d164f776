/** Reads rows returned by an index; nothing in them is trusted. */
import { defined } from '../lib/defined.ts'
import { frozenCopy } from '../lib/frozen-copy.ts'
import { isRecord } from '../lib/guards.ts'
import { RagGateError } from '../../errors.ts'
import type { Json } from '../lib/json.ts'
import type { Passage, Ranking, ScoreKind } from './chunk.ts'
import { scoreWithinRange } from './score-kinds.ts'

/** A row: its passage, and its unchecked score. */
export interface RetrievedRow {
  readonly passage: Passage
  readonly score: unknown
}

/**
 * Ranks the rows of one method: best first, malformed scores last, ties in their original order; of equal ids the best is
 * kept. A score that is not a finite number within the range of its kind becomes NaN, to be dropped and counted later.
 *
 * @param topK number of entries kept, 1 and up
 */
export function rankRows(kind: ScoreKind, rows: readonly RetrievedRow[], topK: number): Ranking {
  const known = new Set<string>()
  const entries = rows
    .map(({ passage, score }) => ({ passage, score: scoreWithinRange(kind, score) }))
    .sort((a, b) => orderOf(b.score) - orderOf(a.score))
    .filter(({ passage: { id } }) => !known.has(id) && known.add(id))
  return { kind, entries: entries.slice(0, topK) }
}

function orderOf(score: number): number {
  return Number.isNaN(score) ? -Number.MAX_VALUE : score
}

/**
 * Builds a passage from its parts.
 *
 * @param fields has `documentId`, `title`, `section`, `source`, `version` and `metadata`, all optional; a passage without a
 *   document is its own document. `null`, as in a database, means absent
 * @throws `retriever_bad_response` when a part has the wrong type
 */
export function readPassage(id: unknown, text: unknown, fields: Readonly<Record<string, unknown>>): Passage {
  return passageOf(id, text || undefined, fields)
}

function passageOf(id: unknown, text: unknown, fields: Readonly<Record<string, unknown>>): Passage {
  if (typeof id !== 'string' || id === '') throw unreadable('a row without id')
  if (typeof text !== 'string') throw unreadable('a row without text')
  const optional = ['title', 'section', 'source', 'version'].map((name) => [name, textMember(fields, name)])
  const metadata = fields['metadata'] ?? undefined
  if (metadata !== undefined && !isRecord(metadata)) throw unreadable('metadata that is not an object')
  return {
    id,
    documentId: textMember(fields, 'documentId') || id,
    text,
    ...defined(Object.fromEntries(optional)),
    // The cast is safe: indexes return parsed JSON, or JSON by their own rules.
    // Copied, because it may be the index's own object, and changing it would affect later searches.
    ...(metadata !== undefined && { metadata: frozenCopy({ ...metadata }) as Readonly<Record<string, Json>> }),
  }
}

/**
 * Checks and copies a passage of a custom retriever. Its text may be empty; it then supports nothing.
 *
 * @throws `retriever_bad_response` when a part has the wrong type
 */
export function checkPassage(passage: Passage): Passage {
  // The cast is safe: members are read by name, and their types are checked.
  return passageOf(passage.id, passage.text, passage as unknown as Readonly<Record<string, unknown>>)
}

function textMember(fields: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = fields[name] ?? undefined
  if (value !== undefined && typeof value !== 'string') throw unreadable(`a row whose ${name} is not a string`)
  return value
}

function unreadable(detail: string): RagGateError {
  return new RagGateError('retriever_bad_response', `The index sent an unexpected response: ${detail}`)
}
