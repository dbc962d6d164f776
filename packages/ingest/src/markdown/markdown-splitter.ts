/** Cuts Markdown by its structure: sections stay together, code and lists are never torn apart where they fit. */
import { callable, number, requireOptions } from 'hono-rag-gate/core/lib'
import { sentenceEnds } from 'hono-rag-gate/core/text'
import { RagGateError } from 'hono-rag-gate/errors'
import type { DocumentPart, Splitter } from '../splitter.ts'
import { type MarkdownBlock, markdownBlocks } from './blocks.ts'
import { type ReadHtml, readHtmlWithin } from './html-within.ts'

/** Settings of `createMarkdownSplitter`. */
export interface MarkdownSplitterOptions {
  /**
   * Longest part, characters. A single sentence or code block that is longer is cut between words.
   *
   * @default 1200
   */
  readonly maxCharacters?: number
  /**
   * Of a paragraph that is cut, how much of one part's end begins the next one too: whole sentences, characters at most.
   *
   * @default 150
   */
  readonly overlapCharacters?: number
  /**
   * Makes Markdown of HTML, such as `htmlToMarkdown`. Without it no documents of HTML are taken, and HTML within Markdown
   * stays as it is written.
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
 * Makes a splitter of Markdown (CommonMark), in time that rises with the text's length alone. Blocks of one section are packed together up to
 * the limit, under their heading; a block that is too long is cut between sentences. Plain text is cut by its blank
 * lines in the same way.
 *
 * @throws `config_invalid` when a length makes no sense
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
    version: `markdown-it/6/${maxCharacters}/${overlapCharacters}`,
    formats: htmlToMarkdown === undefined ? ['markdown', 'text'] : ['markdown', 'text', 'html'],
    async split(text, format) {
      if (format === 'text') return { parts: partsOf(textBlocks(text)), hiddenText: false, work: plainWork(text) }
      if (format === 'markdown') {
        const written = markdownBlocks(text)
        const { blocks, hiddenText, work } = await readHtmlWithin(written.blocks, htmlToMarkdown)
        return { parts: partsOf(underHeadings(blocks)), hiddenText, work: written.work + work + plainWork(text) }
      }
      if (htmlToMarkdown === undefined) throw new RagGateError('config_invalid', 'This splitter reads no HTML')
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

/** Characters that are cut into sentences and parts in the time of a step. */
const CHARACTERS_A_STEP = 64

function plainWork(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_STEP)
}

/** Blocks of text under their headings. */
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
 * A block in pieces that each fit: between sentences, else between words. A piece begins with the last sentences of the
 * one before, so that what refers back is found together with what it refers to.
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

/** A sentence or a part of one, and what stands between it and the one before. */
interface Unit {
  readonly text: string
  /** A space, or an end of line with the indentation behind it: items of a list stay items. */
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

/** The last units that fit together. */
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
    // Without a space to cut at, keep clear of the middle of a surrogate pair.
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

/** What opens a part of this section: the innermost heading, unless it would take more than half of the room. */
function opening({ headings }: Pick<Block, 'headings'>, maxCharacters: number): string {
  const heading = headings.at(-1) ?? ''
  return heading === '' || heading.length + 2 > maxCharacters / 2 ? '' : `${heading}\n\n`
}

/** Neighbouring blocks under the same headings become one part, as long as they fit. The innermost heading opens it. */
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
