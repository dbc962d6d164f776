/** Splits Markdown by its structure: sections stay together, and code and lists are kept whole if they fit. */
import { callable, number, requireOptions } from 'hono-rag-gate/core/lib'
import { sentenceEnds } from 'hono-rag-gate/core/text'
import { RagGateError } from 'hono-rag-gate/errors'
import type { DocumentFormat, DocumentPart, Splitter } from '../splitter.ts'
import { type MarkdownBlock, markdownBlocks } from './blocks.ts'
import { type HtmlInBlocks, type ReadHtml, readHtmlWithin, withoutEmpty } from './html-within.ts'

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
  /** By depth; a depth may lack one. */
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
  return {
    version: `markdown-it/16/${maxCharacters}/${overlapCharacters}${htmlToMarkdown === undefined ? '/plain' : ''}`,
    async split(text, format) {
      const { blocks, hiddenText, work, title = titleOf(blocks) } = await read(text, format)
      return {
        parts: pack(
          underHeadings(blocks).flatMap((block) =>
            shorten(block, maxCharacters - opening(block, maxCharacters).length, overlapCharacters),
          ),
          maxCharacters,
        ),
        hiddenText,
        work: work + Math.ceil(text.length / CHARACTERS_A_STEP),
        ...(title && { title }),
      }
    },
  }

  async function read(text: string, format: DocumentFormat): Promise<HtmlInBlocks> {
    if (format === 'markdown') return readHtmlWithin(markdownBlocks(text), htmlToMarkdown)
    if (format === 'text') return { blocks: paragraphsOf(text), hiddenText: false, work: 0 }
    if (htmlToMarkdown === undefined) throw new RagGateError('config_invalid', 'HTML needs the option htmlToMarkdown')
    return htmlToMarkdown(text)
  }
}

/** Characters that are split into sentences and parts per step of work. */
const CHARACTERS_A_STEP = 64

/** The first heading of level 1. */
function titleOf(blocks: readonly MarkdownBlock[]): string | undefined {
  for (const block of blocks) if (block.kind === 'heading' && block.depth === 1 && block.title) return block.title
  return undefined
}

/** Text blocks with their headings. A heading with nothing below it is text under those above it, unless it is the title. */
function underHeadings(blocks: readonly MarkdownBlock[]): Block[] {
  const found: Block[] = []
  let headings: string[] = []
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'text') found.push({ text: block.text, headings })
    else {
      headings = headings.slice(0, block.depth - 1)
      const next = blocks[at + 1]
      const isBare = next === undefined || (next.kind === 'heading' && next.depth <= block.depth)
      if (isBare && block.depth > 1 && block.title) found.push({ text: block.title, headings: [...headings] })
      headings[block.depth - 1] = block.title
    }
  }
  return found
}

function paragraphsOf(text: string): readonly MarkdownBlock[] {
  const paragraphs = text.replaceAll(/\r\n?/g, '\n').split(/\n\s*\n/)
  return withoutEmpty(paragraphs.map((paragraph) => ({ kind: 'text', text: paragraph })))
}

/** What each piece of a block repeats: the fence of code, or the first two lines of a table. */
const HEAD = /^(?:(`{3,}(?!`)|~{3,}(?!~))[^\n]*\n|[^\n|]*\|[^\n]*\n[ \t:-]*\|[ \t:|-]*\n)/

/**
 * Splits a block into pieces that fit: code and tables between lines, with their fence or head in each piece; others
 * between sentences, else between words. A piece begins with the last sentences or lines of the previous one, so that
 * references are found together with what they refer to.
 */
function shorten({ text, headings }: Block, maxCharacters: number, overlapCharacters: number): Block[] {
  if (text.length <= maxCharacters) return [{ text, headings }]
  let [head = '', fence = ''] = HEAD.exec(text) ?? []
  let tail = fence && `\n${fence}`
  if (head.length + tail.length > maxCharacters / 2 || !text.endsWith(tail)) head = tail = ''
  const room = maxCharacters - head.length - tail.length
  const body = text.slice(head.length, text.length - tail.length)
  const pieces: Unit[][] = []
  let length = Infinity
  const units =
    head === ''
      ? sentencesOf(body, room)
      : [...body.matchAll(/(\n*)([^\n]+)/g)].flatMap(([, gap = '', line = '']) =>
          cutBetweenWords(line.trimEnd(), gap, room),
        )
  for (const unit of units) {
    const more = unit.gap.length + unit.text.length
    if (length + more <= room) {
      pieces.at(-1)!.push(unit)
      length += more
    } else {
      const piece = [...overlapOf(pieces.at(-1) ?? [], Math.min(overlapCharacters, room / 2, room - more)), unit]
      pieces.push(piece)
      length = joined(piece).length
    }
  }
  return pieces.map((piece) => ({ text: head + joined(piece) + tail, headings }))
}

/** A sentence or line, or part of one, and the whitespace before it. */
interface Unit {
  readonly text: string
  /** A space, or a line break with the following indentation, so that list items stay items. */
  readonly gap: string
}

/** The number of an item, whose full stop ends no sentence. */
const NUMBER = /^\s*\d{1,9}[.)]$/

function sentencesOf(text: string, maxCharacters: number): Unit[] {
  let start = 0
  return sentenceEnds(text).flatMap((end) => {
    if (end < text.length && NUMBER.test(text.slice(start, end))) return []
    const written = text.slice(start, (start = end))
    const sentence = written.trim()
    if (sentence === '') return []
    const before = written.slice(0, written.indexOf(sentence))
    return cutBetweenWords(
      sentence,
      before.includes('\n') ? before.slice(before.lastIndexOf('\n')) : ' ',
      maxCharacters,
    )
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

function cutBetweenWords(text: string, before: string, maxCharacters: number): Unit[] {
  const units: Unit[] = []
  let rest = text
  let gap = before
  while (rest.length > maxCharacters) {
    const space = rest.slice(0, maxCharacters + 1).search(/\s\S*$/)
    // Without white space to split at, avoid the middle of a surrogate pair.
    const at =
      space > maxCharacters / 2 ? space : maxCharacters - (rest.codePointAt(maxCharacters - 1)! > 0xffff ? 1 : 0)
    units.push({ text: rest.slice(0, at).trim(), gap })
    rest = rest.slice(at).trim()
    gap = ' '
  }
  return [...units, { text: rest, gap }]
}

/** The start of each part of this section: the innermost heading, unless it would take more than half of the limit. */
function opening({ headings }: Pick<Block, 'headings'>, maxCharacters: number): string {
  const heading = headings.at(-1) ?? ''
  return heading === '' || heading.length + 2 > maxCharacters / 2 ? '' : `${heading}\n\n`
}

/** Lines in bold at the end, which title what follows, such as a tab. */
const LABELS = /(?:\n\n\*\*[^\n]+\*\*)+$/

/** Combines adjacent blocks under the same headings into parts that fit, each starting with the innermost heading. */
function pack(blocks: readonly Block[], maxCharacters: number): DocumentPart[] {
  const parts: { text: string; section: string }[] = []
  for (const { text, headings } of blocks) {
    const section = headings.filter(Boolean).join(' › ')
    const last = parts.at(-1)
    if (last?.section === section && last.text.length + 2 + text.length <= maxCharacters) last.text += `\n\n${text}`
    else {
      const begin = opening({ headings }, maxCharacters)
      const [labels = ''] = (last?.section === section && LABELS.exec(last.text)) || []
      const titled = `${begin}${labels.trimStart()}\n\n${text}`
      const isTitled = labels !== '' && titled.length <= maxCharacters
      if (isTitled) last!.text = last!.text.slice(0, -labels.length)
      parts.push({ section, text: isTitled ? titled : begin + text })
    }
  }
  return parts.map(({ text, section }) => ({ text, ...(section && { section }) }))
}
