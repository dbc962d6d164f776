/** Cuts Markdown by its structure: sections stay together, code and lists are never torn apart where they fit. */
import type { Nodes, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { toString } from 'mdast-util-to-string'
import { sentences } from '../core/text.ts'
import type { DocumentPart, Splitter } from '../ports/splitter.ts'

/** Settings of `createMdastSplitter`. */
export interface MdastSplitterOptions {
  /**
   * Longest part, characters. A single sentence or code block that is longer is cut between words.
   *
   * @default 1200
   */
  readonly maxCharacters?: number
}

/** A block of a document, with the headings above it. */
interface Block {
  readonly text: string
  readonly headings: readonly string[]
}

/**
 * Makes a splitter over the CommonMark parser of the unified project. Blocks of one section are packed together up to
 * the limit, under their heading; a block that is too long is cut between sentences. Plain text is cut by its blank
 * lines in the same way.
 */
export function createMdastSplitter({ maxCharacters = 1200 }: MdastSplitterOptions = {}): Splitter {
  return {
    version: `mdast/2/${maxCharacters}`,
    split: (text, format) => {
      const blocks = format === 'markdown' ? markdownBlocks(text) : textBlocks(text)
      return pack(
        blocks.flatMap((block) => shorten(block, maxCharacters - opening(block, maxCharacters).length)),
        maxCharacters,
      )
    },
  }
}

function markdownBlocks(text: string): Block[] {
  const blocks: Block[] = []
  let above: readonly { readonly depth: number; readonly title: string }[] = []
  for (const node of fromMarkdown(text).children) {
    if (node.type === 'heading') {
      const { depth } = node
      above = [...above.filter((heading) => heading.depth < depth), { depth, title: toString(node) }]
    } else if (!INVISIBLE.has(node.type)) {
      blocks.push({ text: sourceOf(node, text), headings: above.map(({ title }) => title) })
    }
  }
  return blocks.filter((block) => block.text !== '')
}

const INVISIBLE: ReadonlySet<RootContent['type']> = new Set(['thematicBreak', 'definition', 'html', 'yaml'])

/** The block as written: tables, lists and code read best in their own notation. */
function sourceOf(node: Nodes, text: string): string {
  const from = node.position?.start.offset ?? 0
  return text.slice(from, node.position?.end.offset ?? from).trim()
}

function textBlocks(text: string): Block[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => ({ text: block.trim(), headings: [] }))
    .filter((block) => block.text !== '')
}

/** A block in pieces that each fit: between sentences, else between words. */
function shorten(block: Block, maxCharacters: number): Block[] {
  if (block.text.length <= maxCharacters) return [block]
  const pieces: string[] = []
  for (const unit of sentences(block.text).flatMap((sentence) => cutBetweenWords(sentence, maxCharacters))) {
    const last = pieces.at(-1)
    if (last !== undefined && last.length + 1 + unit.length <= maxCharacters)
      pieces[pieces.length - 1] = `${last} ${unit}`
    else pieces.push(unit)
  }
  return pieces.map((text) => ({ text, headings: block.headings }))
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
