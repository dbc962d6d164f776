/** The context for a model: numbered and delimited passages within a budget. */
import { number, required, requireMembers } from '../lib/options.ts'
import { sentenceEnds } from '../text/sentences.ts'
import type { Chunk } from './chunk.ts'

/** The context of one question. */
export interface Context {
  readonly text: string
  /** The chunks that fitted, best first, with their text as shown; citation `[1]` is the first. */
  readonly chunks: readonly Chunk[]
  /** Whether the budget cut anything away. */
  readonly cut: boolean
}

/** Budget of a context. */
export interface ContextBudget {
  /** Longest text, including delimiters. */
  readonly maxLength: number
  /** Measures a text; must depend on the text only. @default characters (UTF-16 code units) */
  readonly lengthOf?: (text: string) => number
}

/**
 * Numbers and delimits the best chunks that fit, plus as many whole sentences of the next one as fit (half a sentence could
 * mean the opposite of the whole). Text that looks like a delimiter is escaped, so that a document cannot end its own
 * quotation.
 *
 * @returns no chunks if not even one sentence of the best fits
 * @throws `config_invalid` for a `lengthOf` that gives no length
 */
export function buildContext(chunks: readonly Chunk[], budget: ContextBudget): Context {
  const whole = mostThatFit(chunks.length, (count) => fits(render(chunks.slice(0, count)), budget))
  const shown = chunks.slice(0, whole)
  const next = chunks[whole]
  if (next === undefined) return { text: render(shown), chunks: shown, cut: false }
  // Trimmed, because the first end may be that of white space.
  const text = next.text.trim()
  const ends = sentenceEnds(text)
  const upTo = (count: number): Chunk[] => [...shown, { ...next, text: text.slice(0, ends[count - 1]) }]
  const sentenceCount = mostThatFit(ends.length, (count) => fits(render(upTo(count)), budget))
  const kept = sentenceCount === 0 ? shown : upTo(sentenceCount)
  return { text: render(kept), chunks: kept, cut: true }
}

/** @throws `config_invalid` for a length that is none */
function fits(text: string, { maxLength, lengthOf }: ContextBudget): boolean {
  const length = lengthOf === undefined ? text.length : lengthOf(text)
  requireMembers({ lengthOf: length }, LENGTH, 'context')
  return length <= maxLength
}

const LENGTH = { lengthOf: required(number(0)) }

/** Binary search for the largest count, 0..`most`, for which the monotone predicate holds. */
function mostThatFit(most: number, holds: (count: number) => boolean): number {
  if (most > 0 && holds(most)) return most
  let known = 0
  let beyond = most
  while (beyond - known > 1) {
    const middle = Math.floor((known + beyond) / 2)
    if (holds(middle)) known = middle
    else beyond = middle
  }
  return known
}

function render(chunks: readonly Chunk[]): string {
  return chunks
    .map(({ title, section, text }, at) => {
      const heading = [title, section].filter((part) => part !== undefined && part !== '').join(' › ')
      const from = heading === '' ? '' : ` from="${attribute(heading)}"`
      return `<passage number="${at + 1}"${from}>\n${escapedDelimiters(text)}\n</passage>`
    })
    .join('\n\n')
}

/** Escapes delimiters, including variants with a few spaces or invisible characters, which a model may read as delimiters. */
const escapedDelimiters = (text: string): string =>
  text.includes('<') ? text.replaceAll(/<(?=[\s\p{Default_Ignorable_Code_Point}/]{0,9}passage\b)/giu, '&lt;') : text

const attribute = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/\s+/g, ' ')
