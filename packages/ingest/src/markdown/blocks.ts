/** The blocks that a Markdown document consists of, by the CommonMark parser markdown-it. */
import MarkdownIt, { type Env, type Token } from 'markdown-it'
import { RagGateError } from 'hono-rag-gate/errors'
import { type HtmlPiece, htmlPieces, mayHide } from './html-pieces.ts'

/** A block of the document itself; what is within a list or a quote is part of it. */
export type MarkdownBlock =
  /** Everything that is read as it is written, ends of lines made one: paragraphs, lists, quotes, code. */
  | { readonly kind: 'text'; readonly text: string }
  /** A heading, in words without mark-up. `depth` is 1 to 6. */
  | { readonly kind: 'heading'; readonly title: string; readonly depth: number }

/** A block as it is written: with HTML in it that is still to be read. */
export type WrittenBlock =
  | MarkdownBlock
  /** A block of HTML of its `own`, or one of Markdown with HTML in it that may hide some of it. */
  | {
      readonly kind: 'html'
      readonly pieces: readonly HtmlPiece[]
      readonly own: boolean
      /** The heading that it is where no HTML is read. */
      readonly heading?: MarkdownBlock
    }

/** Levels of tokens that the parser goes down; a list takes two of them, a quote one. */
const MAX_LEVELS = 30

/** What the parser may say of one document: it holds some 200 bytes for each of these until the document is read. */
const MAX_TOKENS = 200_000

/** Lines that may be tried as the beginning of a block, once for each list or quote around them. */
const MAX_TRIES = 4_000_000
/** So many of them take about as long as reading a tag of HTML. */
const TRIES_A_STEP = 4

/** Longer headings are text: a heading is repeated with all that follows it. */
export const LONGEST_HEADING = 300
/** What is within a heading is looked at up to this length, so many times as long as a heading may become. */
const LONGEST_WRITTEN_HEADING = 3000

/** Characters of a paragraph or a list of which HTML may hide some: it is gone through mark by mark. */
const LONGEST_MIXED = 200_000

/** Finds blocks only: what is within a line takes most of a parser's time, and only headings need it. */
const blockParser = new MarkdownIt('commonmark', { maxNesting: MAX_LEVELS })
blockParser.core.ruler.enableOnly(['normalize', 'block'])
blockParser.block.State = class extends blockParser.block.State {
  override push(...token: Parameters<InstanceType<typeof blockParser.block.State>['push']>): Token {
    if (this.tokens.length >= MAX_TOKENS) {
      throw new RagGateError('document_too_complex', 'The Markdown has too many paragraphs, items and headings')
    }
    return super.push(...token)
  }
}

// The first rule of all wherever a block may begin: it only counts.
blockParser.block.ruler.before(
  'code',
  'count_tries',
  ({ env }) => {
    // Made by `markdownBlocks`, which alone calls this parser.
    const reading = env as ReadingEnv
    if (++reading.tries > MAX_TRIES) {
      throw new RagGateError('document_too_complex', 'The Markdown has too many lines within lists and quotes')
    }
    return false
  },
  { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
)

/** Where links go, which headings may need and the parser fills in; and what is counted on the way. */
interface ReadingEnv extends Env {
  tries: number
}

const lineParser = new MarkdownIt('commonmark')

// Where a link goes is not read, and an address in a heading stays as it was written.
for (const parser of [blockParser, lineParser]) {
  parser.normalizeLink = (url) => url
  parser.normalizeLinkText = (url) => url
}

/** A document in blocks. */
export interface ReadMarkdown {
  readonly blocks: readonly WrittenBlock[]
  /** Steps that it took; see `SplitDocument`. */
  readonly work: number
}

/**
 * Finds the blocks of a document, in time that rises with its length. Rules and the addresses of links are nothing that
 * readers see, and are left out. HTML is kept apart: a block of it, and any block in which it may hide some. A heading of
 * more than 300 characters is text.
 *
 * @throws `too_deep` for some fifteen lists, or thirty quotes, one in the other; `document_too_complex` for more than
 *   200,000 beginnings and ends of blocks, which is some 40,000 items or 66,000 paragraphs, for more than four million
 *   lines, each counted once for every list or quote that it may belong to, and for a paragraph or list of more than 200,000
 *   characters with HTML that may hide some of them
 */
export function markdownBlocks(text: string): ReadMarkdown {
  const lines = text.split(/\r\n|\r|\n/)
  const reading: ReadingEnv = { tries: 0 }
  const tokens = blockParser.parse(text, reading)
  const blocks = tokens.flatMap((token, at): WrittenBlock[] => {
    // At the last level there may be more, which the parser passes over without a word.
    if (token.level >= MAX_LEVELS - 1) throw new RagGateError('too_deep', 'The Markdown nests too deeply')
    if (token.level > 0 || token.map === null || UNREAD.has(token.type)) return []
    if (token.type === 'heading_open') {
      return [headingOf(tokens[at + 1]?.content ?? '', Number(token.tag.slice(1)), reading)]
    }
    const written = lines
      .slice(...token.map)
      .join('\n')
      .trim()
    if (written === '') return []
    if (token.type === 'html_block') return [{ kind: 'html', pieces: [{ html: written }], own: true }]
    return [CODE.has(token.type) ? { kind: 'text', text: written } : textOf(written)]
  })
  return { blocks, work: Math.ceil((reading.tries + tokens.length) / TRIES_A_STEP) }
}

/** An anchor that many site generators let a heading end with, such as `{#install}`: no CommonMark, and nothing to read. */
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

/** A block that is read as it is written, but for what HTML in it may hide. */
function textOf(written: string): WrittenBlock {
  if (!mayHide(written)) return { kind: 'text', text: written }
  if (written.length > LONGEST_MIXED) {
    throw new RagGateError('document_too_complex', 'A block of the Markdown with HTML in it is too long')
  }
  return { kind: 'html', pieces: htmlPieces(written), own: false }
}

const UNREAD: ReadonlySet<string> = new Set(['hr', 'reference_definition'])
const CODE: ReadonlySet<string> = new Set(['fence', 'code_block'])

/** The words of a heading: of links their text, of images what they are described by. */
function titleOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (children !== null) return titleOf(children)
      if (type === 'softbreak' || type === 'hardbreak') return ' '
      return type === 'html_inline' ? '' : content
    })
    .join('')
}
