/** The evidence as a model reads it: numbered, delimited, within a budget. */
import type { Chunk } from './chunk.ts'

/** The context of one question. */
export interface Context {
  readonly text: string
  /** The chunks that fitted, best first; citation `[1]` is the first of them. */
  readonly chunks: readonly Chunk[]
}

/**
 * Numbers and delimits the best chunks that fit. Text that looks like a delimiter is made harmless, so a document cannot
 * end its own quotation.
 *
 * @param maxCharacters budget for the whole text. A first chunk that is larger than that is cut, never left out.
 */
export function buildContext(chunks: readonly Chunk[], maxCharacters: number): Context {
  const kept: Chunk[] = []
  const parts: string[] = []
  let left = maxCharacters
  for (const chunk of chunks) {
    const heading = [chunk.title, chunk.section].filter((part) => part !== undefined && part !== '').join(' › ')
    const open = `<passage number="${kept.length + 1}"${heading === '' ? '' : ` from="${attribute(heading)}"`}>\n`
    const close = '\n</passage>'
    const between = kept.length === 0 ? '' : '\n\n'
    const room = left - between.length - open.length - close.length
    const text = harmless(chunk.text)
    if (text.length > room && kept.length > 0) break
    parts.push(between + open + cut(text, room) + close)
    kept.push(chunk)
    left = room - text.length
  }
  return { text: parts.join(''), chunks: kept }
}

/** At most so many characters from the start, without half of a surrogate pair at the end. */
function cut(text: string, room: number): string {
  if (text.length <= room) return text
  const kept = text.slice(0, Math.max(0, room))
  return /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept
}

const harmless = (text: string): string => text.replaceAll(/<(?=\/?passage\b)/gi, '&lt;')

const attribute = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\s+/g, ' ')
