/** Parses a Markdown document into blocks, with the CommonMark parser markdown-it. */
import MarkdownIt, { type Env, type Token } from 'markdown-it'
import { codeSpans } from 'hono-rag-gate/core/text'
import { RagGateError } from 'hono-rag-gate/errors'
import { withoutAdmonitions, withTitle } from './admonitions.ts'
import { LONGEST_HEADING } from './html/elements.ts'
import { type HtmlPiece, htmlPieces, mayHide } from './html-pieces.ts'

/** A top-level block of the document; it includes the content of lists and quotes. */
export type MarkdownBlock =
  /** Markdown source with normalised line ends: paragraphs, lists, quotes, code. */
  | { readonly kind: 'text'; readonly text: string }
  /** The text of a heading without mark-up. `depth` is 1 to 6. */
  | { readonly kind: 'heading'; readonly title: string; readonly depth: number }

/** A block before its HTML is read. */
export type WrittenBlock =
  | MarkdownBlock
  /** HTML: a block of its `own`, or a Markdown block with inline HTML that may hide parts of it. */
  | {
      readonly kind: 'html'
      readonly pieces: readonly HtmlPiece[]
      readonly own: boolean
      /** The heading that this block is if HTML is not read. */
      readonly heading?: MarkdownBlock
    }

/** Maximum nesting in parser tokens; a list takes two levels, a quote one. */
const MAX_LEVELS = 30

/** Maximum number of parser tokens per document; each takes about 200 bytes until the document is read. */
const MAX_TOKENS = 200_000

/** Maximum number of attempts to parse a block start: one per line and enclosing list or quote. */
const MAX_TRIES = 4_000_000
/** Number of these that take about as long as reading an HTML tag. */
const TRIES_A_STEP = 4

/** Longer heading sources are not parsed: ten times the maximum length of a heading. */
const LONGEST_WRITTEN_HEADING = 3000

/** Maximum length of a paragraph or list in which HTML may hide text, because it is scanned mark by mark. */
const LONGEST_MIXED = 200_000

/** Parses block structure only: inline parsing takes most of a parser's time, and only headings need it. */
const blockParser = new MarkdownIt('commonmark', { maxNesting: MAX_LEVELS })
blockParser.core.ruler.enableOnly(['normalize', 'block'])
blockParser.block.State = class extends blockParser.block.State {
  override push(...token: Parameters<InstanceType<typeof blockParser.block.State>['push']>): Token {
    if (this.tokens.length >= MAX_TOKENS) {
      throw new RagGateError('document_too_complex', 'The Markdown has too many blocks')
    }
    return super.push(...token)
  }
}

// The first rule tried wherever a block may start; it only counts.
blockParser.block.ruler.before(
  'code',
  'count_tries',
  ({ env }) => {
    // Made by `markdownBlocks`, the only caller of this parser.
    const reading = env as ReadingEnv
    if (++reading.tries > MAX_TRIES) {
      throw new RagGateError('document_too_complex', 'The Markdown has too many lines in lists and quotes')
    }
    return false
  },
  { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
)

/** Link references, which the parser collects and headings may need, and the counter. */
interface ReadingEnv extends Env {
  tries: number
}

const lineParser = new MarkdownIt('commonmark')

// Link destinations are not used, and URLs in headings are kept as written.
for (const parser of [blockParser, lineParser]) {
  parser.normalizeLink = (url) => url
  parser.normalizeLinkText = (url) => url
}

/** A document in blocks. */
export interface ReadMarkdown {
  readonly blocks: readonly WrittenBlock[]
  /** Work in steps; see `SplitDocument`. */
  readonly work: number
}

/**
 * Parses a document into blocks in linear time. Thematic breaks and link reference definitions are left out. HTML is
 * kept separate: HTML blocks, and blocks in which inline HTML may hide text. A heading of more than 300 characters
 * becomes text.
 *
 * @throws `too_deep` for about fifteen nested lists or thirty nested quotes; `document_too_complex` for more than
 *   200,000 starts and ends of blocks (about 40,000 items or 66,000 paragraphs), for more than four million lines, each
 *   counted once per list or quote that it may belong to, and for a paragraph or list of more than 200,000 characters
 *   in which HTML may hide text
 */
export function markdownBlocks(text: string): ReadMarkdown {
  const lines = text.split(/\r\n|\r|\n/)
  const reading: ReadingEnv = { tries: 0 }
  const tokens = blockParser.parse(text, reading)
  const blocks = tokens.flatMap((token, at): WrittenBlock[] => {
    // At the last level the parser silently ignores deeper blocks.
    if (token.level >= MAX_LEVELS - 1) throw new RagGateError('too_deep', 'The Markdown nests too deeply')
    if (token.level > 0 || token.map === null || token.type === 'hr') return []
    if (token.type === 'heading_open') {
      return [headingOf(tokens[at + 1]?.content ?? '', Number(token.tag.slice(1)), reading)]
    }
    // Code as it is shown: without the indentation of its fence, and closed.
    if (token.type === 'fence') {
      return [{ kind: 'text', text: `${token.markup}${token.info.trimEnd()}\n${token.content}${token.markup}` }]
    }
    if (token.type === 'code_block') return [{ kind: 'text', text: token.content.trimEnd() }]
    const source = lines.slice(...token.map).join('\n')
    // A footnote of one word would be the definition of a link.
    if (token.type === 'reference_definition' && !source.trimStart().startsWith('[^')) return []
    const isParagraph = token.type === 'paragraph_open'
    const written = (isParagraph ? withoutAdmonitions : withTitle)(source.replaceAll(ANCHOR, '').trim())
    if (written === '') return []
    if (token.type === 'html_block') return [{ kind: 'html', pieces: [{ html: written }], own: true }]
    const table = isParagraph ? written.search(TABLE) : -1
    if (table >= 0) return [textOf(written.slice(0, table)), textOf(written.slice(table + 1))]
    return [textOf(written, isParagraph ? undefined : () => leavesOf(tokens, at, lines))]
  })
  return { blocks, work: Math.ceil((reading.tries + tokens.length) / TRIES_A_STEP) }
}

/** The end of a line before the head of a table, an extension of CommonMark. */
const TABLE = /\n(?=[^\n|]*\|[^\n]*\n(?=[^\n]*-)[ \t:-]*\|[ \t:|-]*(?:\n|$))/
/** An anchor at the beginning of a line, without text. */
const ANCHOR = /^[ \t]*<(a|span) (?:id|name)=[^<>]*><\/\1>/gm
/** An anchor at the end of a heading, such as `{#install}`: an extension of CommonMark in many site generators. */
const HEADING_ATTRIBUTES = /(?<=\S) ?\{:? ?#[^{}]*\}$/

function headingOf(written: string, depth: number, links: Env): WrittenBlock {
  if (written.length > LONGEST_WRITTEN_HEADING) return textOf(written)
  const line = written.replace(HEADING_ATTRIBUTES, '')
  const wordsOf = (text: string): string => titleOf(lineParser.parseInline(text, links))
  const title = wordsOf(line)
  if (title.length > LONGEST_HEADING) return textOf(written)
  const heading: MarkdownBlock = { kind: 'heading', title, depth }
  if (!mayHide(line)) return heading
  const pieces = htmlPieces(line).map((piece) => ('html' in piece ? piece : { text: wordsOf(piece.text) }))
  return { kind: 'html', pieces: [{ html: `<h${depth}>` }, ...pieces, { html: `</h${depth}>` }], own: true, heading }
}

/** Lines of a block: a paragraph, code, HTML, or what is between them. */
interface Leaf {
  readonly type: string
  readonly written: string
}

/** The lines of a block by what they are: no code, comment or tag of one leaf ends in another. */
function leavesOf(tokens: readonly Token[], at: number, lines: readonly string[]): Leaf[] {
  const leaves: Leaf[] = []
  let from = 0
  const take = (to: number, type: string): void => {
    if (to > from) leaves.push({ type, written: lines.slice(from, to).join('\n') })
    from = to
  }
  const [start, end] = tokens[at]!.map!
  from = start
  for (let next = at + 1; (tokens[next]?.level ?? 0) > 0; next++) {
    const { map, type } = tokens[next]!
    if (map === null || !LEAVES.has(type)) continue
    take(map[0], 'between')
    take(map[1], type)
  }
  take(end, 'between')
  return leaves
}

const LEAVES: ReadonlySet<string> = new Set(['inline', 'html_block', 'fence', 'code_block'])

/** A text block, or an HTML block if HTML may hide parts of it. */
function textOf(written: string, leaves = (): readonly Leaf[] => [{ type: 'inline', written }]): WrittenBlock {
  if (!mayHide(written)) return { kind: 'text', text: withCharacters(written) }
  if (written.length > LONGEST_MIXED) {
    throw new RagGateError('document_too_complex', 'A Markdown block with HTML is too long')
  }
  const pieces: HtmlPiece[] = []
  let text = ''
  for (const [at, leaf] of leaves().entries()) {
    if (at > 0) text += '\n'
    for (const piece of piecesOf(leaf)) {
      if ('text' in piece) text += piece.text
      else {
        if (text !== '') pieces.push({ text })
        pieces.push(piece)
        text = ''
      }
    }
  }
  return { kind: 'html', pieces: text.trim() === '' ? pieces : [...pieces, { text: text.trimEnd() }], own: false }
}

function piecesOf({ type, written }: Leaf): HtmlPiece[] {
  if (type !== 'inline' && type !== 'html_block') return [{ text: written }]
  return htmlPieces(written.replaceAll(ANCHOR, ''), type === 'html_block').map((piece) =>
    'html' in piece ? piece : { text: withCharacters(piece.text) },
  )
}

/** A character written as a reference: `&eacute;`, `&#233;`. */
const REFERENCE = /(?<!\\)&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi

/** A text with the characters that its references outside code stand for. */
function withCharacters(text: string): string {
  if (!text.includes('&')) return text
  const { unescapeAll } = lineParser.utils
  let from = 0
  const kept = codeSpans(text).map((code) => {
    const before = text.slice(from, code.from).replaceAll(REFERENCE, unescapeAll)
    return before + text.slice(code.from, (from = code.to))
  })
  return kept.join('') + text.slice(from).replaceAll(REFERENCE, unescapeAll)
}

/** The text of a heading: of links their text, of images their description. */
function titleOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (children !== null) return titleOf(children)
      if (type === 'softbreak' || type === 'hardbreak') return ' '
      return type === 'html_inline' ? '' : content
    })
    .join('')
}
