/** Splits Markdown by its structure: sections stay together, and code and lists are kept whole if they fit. */
import { callable, number, requireOptions } from 'hono-rag-gate/core/lib'
import { sentenceEnds } from 'hono-rag-gate/core/text'
import { RagGateError } from 'hono-rag-gate/errors'
import type { DocumentPart, Splitter } from '../splitter.ts'
import { type MarkdownBlock, markdownBlocks } from './blocks.ts'
import { type ReadHtml, readHtmlWithin } from './html-within.ts'

/** Settings of `createMarkdownSplitter`. */
export interface MarkdownSplitterOptions {
  /**
   * Maximum length of a part, characters. A longer sentence or code block is split between words.
   *
   * @default 1200
   */
  readonly maxCharacters?: number
  /**
   * Maximum overlap between parts of a split paragraph, characters: the next part repeats the last whole sentences.
   *
   * @default 150
   */
  readonly overlapCharacters?: number
  /**
   * Converts HTML to Markdown, such as `htmlToMarkdown`. Without it HTML documents are not accepted, and HTML in
   * Markdown is kept as written.
   *
   * @default none
   */
  readonly htmlToMarkdown?: ReadHtml
}

/** A block of a document, with the headings above it. */
interface Block {
  readonly text: string
  readonly headings: readonly string[]
}

/**
 * Makes a splitter for Markdown (CommonMark) that works in linear time. Blocks of a section are combined up to the
 * limit, under their heading; a block that is too long is split between sentences. Plain text is split at blank lines
 * in the same way.
 *
 * @throws `config_invalid` for an invalid length
 */
export function createMarkdownSplitter(options: MarkdownSplitterOptions = {}): Splitter {
  requireOptions(options, { maxCharacters: number(10), overlapCharacters: number(0), htmlToMarkdown: callable })
  const { maxCharacters = 1200, overlapCharacters = 150, htmlToMarkdown } = options
  if (overlapCharacters > maxCharacters / 2) {
    throw new RagGateError('config_invalid', 'overlapCharacters must be at most half of maxCharacters', {
      param: 'overlapCharacters',
    })
  }
  const partsOf = (blocks: readonly Block[]): DocumentPart[] =>
    pack(
      blocks.flatMap((block) => {
        const room = maxCharacters - opening(block, maxCharacters).length
        return shorten(block, room, Math.min(overlapCharacters, room / 2))
      }),
      maxCharacters,
    )
  return {
    version: `markdown-it/7/${maxCharacters}/${overlapCharacters}`,
    formats: htmlToMarkdown === undefined ? ['markdown', 'text'] : ['markdown', 'text', 'html'],
    async split(text, format) {
      if (format === 'text') return { parts: partsOf(textBlocks(text)), hiddenText: false, work: plainWork(text) }
      if (format === 'markdown') {
        const written = markdownBlocks(text)
        const { blocks, hiddenText, work } = await readHtmlWithin(written.blocks, htmlToMarkdown)
        return { parts: partsOf(underHeadings(blocks)), hiddenText, work: written.work + work + plainWork(text) }
      }
      if (htmlToMarkdown === undefined) throw new RagGateError('config_invalid', 'HTML needs the option htmlToMarkdown')
      const { title, blocks, hiddenText, work } = await htmlToMarkdown(text)
      return {
        parts: partsOf(underHeadings(blocks)),
        hiddenText,
        work: work + plainWork(text),
        ...(title === undefined ? {} : { title }),
      }
    },
  }
}

/** Characters that are split into sentences and parts per step of work. */
const CHARACTERS_A_STEP = 64

function plainWork(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_STEP)
}

/** Text blocks with their headings. */
function underHeadings(blocks: readonly MarkdownBlock[]): Block[] {
  const found: Block[] = []
  let above: readonly Extract<MarkdownBlock, { kind: 'heading' }>[] = []
  for (const block of blocks) {
    if (block.kind === 'text') found.push({ text: block.text, headings: above.map(({ title }) => title) })
    else above = [...above.filter(({ depth }) => depth < block.depth), block]
  }
  return found
}

function textBlocks(text: string): Block[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => ({ text: block.trim(), headings: [] }))
    .filter((block) => block.text !== '')
}

/**
 * Splits a block into pieces that fit: between sentences, else between words. A piece begins with the last sentences of
 * the previous one, so that references are found together with what they refer to.
 */
function shorten(block: Block, maxCharacters: number, overlapCharacters: number): Block[] {
  if (block.text.length <= maxCharacters) return [block]
  const pieces: Unit[][] = []
  let length = Infinity
  for (const unit of unitsOf(block.text, maxCharacters)) {
    const more = unit.gap.length + unit.text.length
    if (length + more <= maxCharacters) {
      pieces.at(-1)!.push(unit)
      length += more
    } else {
      const kept = overlapOf(pieces.at(-1) ?? [], Math.min(overlapCharacters, maxCharacters - more))
      pieces.push([...kept, unit])
      length = joined([...kept, unit]).length
    }
  }
  return pieces.map((piece) => ({ text: joined(piece), headings: block.headings }))
}

/** A sentence or part of one, and the whitespace before it. */
interface Unit {
  readonly text: string
  /** A space, or a line break with the following indentation, so that list items stay items. */
  readonly gap: string
}

function unitsOf(text: string, maxCharacters: number): Unit[] {
  let start = 0
  return sentenceEnds(text).flatMap((end) => {
    const written = text.slice(start, (start = end))
    const sentence = written.trim()
    if (sentence === '') return []
    const before = written.slice(0, written.indexOf(sentence))
    const gap = before.includes('\n') ? before.slice(before.lastIndexOf('\n')) : ' '
    return cutBetweenWords(sentence, maxCharacters).map((part, at) => ({ text: part, gap: at === 0 ? gap : ' ' }))
  })
}

/** The last units that fit. */
function overlapOf(units: readonly Unit[], maxCharacters: number): Unit[] {
  let from = units.length
  while (from > 0 && joined(units.slice(from - 1)).length <= maxCharacters) from--
  return units.slice(from)
}

function joined(units: readonly Unit[]): string {
  return units.map(({ gap, text }, at) => (at === 0 ? text : gap + text)).join('')
}

function cutBetweenWords(text: string, maxCharacters: number): string[] {
  const pieces: string[] = []
  let rest = text
  while (rest.length > maxCharacters) {
    const space = rest.lastIndexOf(' ', maxCharacters)
    // Without a space to split at, avoid the middle of a surrogate pair.
    const at = space > maxCharacters / 2 ? space : maxCharacters - (isHighSurrogate(rest, maxCharacters - 1) ? 1 : 0)
    pieces.push(rest.slice(0, at).trim())
    rest = rest.slice(at).trim()
  }
  return rest === '' ? pieces : [...pieces, rest]
}

function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff
}

/** The start of each part of this section: the innermost heading, unless it would take more than half of the limit. */
function opening({ headings }: Pick<Block, 'headings'>, maxCharacters: number): string {
  const heading = headings.at(-1) ?? ''
  return heading === '' || heading.length + 2 > maxCharacters / 2 ? '' : `${heading}\n\n`
}

/** Combines adjacent blocks under the same headings into parts that fit, each starting with the innermost heading. */
function pack(blocks: readonly Block[], maxCharacters: number): DocumentPart[] {
  const parts: { text: string; section: string }[] = []
  for (const { text, headings } of blocks) {
    const section = headings.filter(Boolean).join(' › ')
    const last = parts.at(-1)
    if (last?.section === section && last.text.length + 2 + text.length <= maxCharacters) last.text += `\n\n${text}`
    else parts.push({ section, text: opening({ headings }, maxCharacters) + text })
  }
  return parts.map(({ text, section }) => (section === '' ? { text } : { text, section }))
}
