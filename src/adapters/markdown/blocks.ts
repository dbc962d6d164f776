/** The blocks that a Markdown document consists of, by the CommonMark parser markdown-it. */
import MarkdownIt, { type Env, type Token } from 'markdown-it'
import { RagGateError } from '../../errors.ts'

/** A block of the document itself; what is within a list or a quote is part of it. */
export type MarkdownBlock =
  /** Everything that is read as it is written, ends of lines made one: paragraphs, lists, quotes, code. */
  | { readonly kind: 'text'; readonly text: string }
  /** A heading, in words without mark-up. `depth` is 1 to 6. */
  | { readonly kind: 'heading'; readonly title: string; readonly depth: number }

/** Levels of tokens that the parser goes down; a list takes two of them, a quote one. */
const MAX_LEVELS = 30

/** What the parser may say of one document: it holds some 200 bytes for each of these until the document is read. */
const MAX_TOKENS = 200_000

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

const lineParser = new MarkdownIt('commonmark')

/**
 * Finds the blocks of a document, in time that rises with its length. HTML, rules and the addresses of links are nothing
 * that anybody reads, and are left out.
 *
 * @throws `too_deep` for some fifteen lists, or thirty quotes, one in the other; `document_too_complex` for more than
 *   200,000 beginnings and ends of blocks, which is some 40,000 items or 66,000 paragraphs
 */
export function markdownBlocks(text: string): MarkdownBlock[] {
  const lines = text.split(/\r\n|\r|\n/)
  // Where links go, which headings may need; the parser fills it.
  const links: Env = {}
  const tokens = blockParser.parse(text, links)
  return tokens.flatMap((token, at): MarkdownBlock[] => {
    // At the last level there may be more, which the parser passes over without a word.
    if (token.level >= MAX_LEVELS - 1) throw new RagGateError('too_deep', 'The Markdown nests too deeply')
    if (token.level > 0 || token.map === null || UNREAD.has(token.type)) return []
    if (token.type === 'heading_open') {
      const title = titleOf(lineParser.parseInline(tokens[at + 1]?.content ?? '', links))
      return [{ kind: 'heading', title, depth: Number(token.tag.slice(1)) }]
    }
    const written = lines
      .slice(...token.map)
      .join('\n')
      .trim()
    return written === '' ? [] : [{ kind: 'text', text: written }]
  })
}

const UNREAD: ReadonlySet<string> = new Set(['hr', 'html_block', 'reference_definition'])

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
