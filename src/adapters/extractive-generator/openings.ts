/** The beginning of a passage, as it stands: what its heading promises. */
import { namesAWarning, takesBack } from './manner.ts'
import { type PassageBlock, passageBlocks } from './passage-blocks.ts'
import { announces, isProse, MAX_CONTINUED, MAX_CONTINUED_LINES, MAX_QUOTE } from './runs.ts'

/** The first paragraph of a passage, and what follows it without a break. */
export interface Opening {
  readonly sentences: readonly string[]
  /** Paragraphs, lists and code behind them, as they stand. */
  readonly continued: string | undefined
}

/**
 * The beginning of a passage: paragraphs, lists and code from its first sentence on, up to a heading, a table or a picture.
 *
 * @param heading the heading above the passage, which may open its text
 * @param maxSentences 1 and up
 * @returns `undefined` when it does not begin with prose, when that leads to something that cannot be quoted, and when
 *   what stands before or behind it warns of it
 */
export function openingOf(text: string, heading: string, maxSentences: number): Opening | undefined {
  const blocks = passageBlocks(text, heading)
  const start = blocks.findIndex((block) => sourceOf(block) !== undefined || warns(block))
  const first = proseOf(blocks[start])
  if (first === undefined) return undefined
  const sentences = fitting(first, maxSentences)
  const whole = sentences.length === first.length
  const parts = whole ? partsBehind(blocks.slice(start + 1), maxSentences - sentences.length) : []
  const next = whole ? proseOf(blocks[start + 1 + parts.length])?.[0] : first[sentences.length]
  if (takesBack(next ?? '')) return undefined
  // What only leads to something that is not quoted says nothing.
  while (leadsOn(parts.at(-1) ?? '')) parts.pop()
  if (parts.length === 0 && leadsOn(sentences.at(-1) ?? '')) return undefined
  return { sentences, continued: parts.length === 0 ? undefined : parts.join('\n\n') }
}

/** As many blocks as may be quoted behind the first, without a gap. */
function partsBehind(blocks: readonly PassageBlock[], maxSentences: number): string[] {
  const parts: string[] = []
  let left = maxSentences
  for (const block of blocks) {
    const source = sourceOf(block)
    left -= proseOf(block)?.length ?? 0
    if (source === undefined || left < 0 || !fits([...parts, source].join('\n\n'))) break
    parts.push(source)
  }
  return parts
}

function sourceOf(block: PassageBlock): string | undefined {
  return block.kind === 'list' || block.kind === 'code' ? block.source : proseOf(block)?.join(' ')
}

function proseOf(block: PassageBlock | undefined): readonly string[] | undefined {
  return block?.kind === 'prose' && block.sentences.length > 0 && block.sentences.every(isProse)
    ? block.sentences
    : undefined
}

/** A directive such as `:::danger`. */
function warns(block: PassageBlock): boolean {
  return block.kind === 'other' && namesAWarning(block.text)
}

function leadsOn(said: string): boolean {
  return announces(said) || /\b(?:below|as follows|the following)\b[^.]*\.$/i.test(said)
}

function fits(source: string): boolean {
  return source.length <= MAX_CONTINUED && source.split('\n').length <= MAX_CONTINUED_LINES
}

function fitting(sentences: readonly string[], maxSentences: number): readonly string[] {
  let [length, count] = [0, 0]
  while (count < Math.min(maxSentences, sentences.length)) {
    length += (sentences[count]?.length ?? 0) + 1
    if (count > 0 && length > MAX_QUOTE) break
    count++
  }
  return sentences.slice(0, count)
}
