/** The blocks that a Markdown document consists of (CommonMark). */
import { BlockReader, type Heading } from './block-reader.ts'
import { inlineText } from './inline-text.ts'
import { Line } from './line.ts'

/** A block of the document itself; what is within a list or a quote is part of it. */
export type MarkdownBlock =
  /** Everything that is read as it is written, ends of lines made one: paragraphs, lists, quotes, code. */
  | { readonly kind: 'text'; readonly text: string }
  /** A heading, in words without mark-up. `depth` is 1 to 6. */
  | { readonly kind: 'heading'; readonly title: string; readonly depth: number }

/** A document in blocks. */
export interface ReadMarkdown {
  readonly blocks: readonly MarkdownBlock[]
  /** Steps that it took; see `SplitDocument`. */
  readonly work: number
}

/** How many of each take about as long as reading a tag of HTML. */
const LINES_A_STEP = 4
const CONTAINERS_A_STEP = 32
const HEADING_CHARACTERS_A_STEP = 8

/** Longer headings are text: a heading is repeated with all that follows it. */
export const LONGEST_HEADING = 300
/** What is within a heading is looked at up to this length, so many times as long as a heading may become. */
const LONGEST_WRITTEN_HEADING = 3000

/**
 * Finds the blocks of a document, in time that rises with its length. HTML, rules and the addresses of links are nothing
 * that anybody reads, and are left out. A heading of more than 300 characters is text.
 *
 * @throws `too_deep` for more than thirteen lists, or 27 quotes, one in the other; `document_too_complex` for more than
 *   100,000 blocks
 * @see https://spec.commonmark.org/0.31.2/
 */
export function markdownBlocks(text: string): ReadMarkdown {
  const lines = text.split(/\r\n|\r|\n/)
  const reader = new BlockReader()
  lines.forEach((line, at) => reader.read(new Line(line), at))
  const { found, labels, containers } = reader.finish()
  let headingCharacters = 0
  const blocks = found.flatMap(({ from, heading, unread }, at): MarkdownBlock[] => {
    if (unread === true) return []
    if (heading !== undefined) {
      headingCharacters += Math.min(heading.written.length, LONGEST_WRITTEN_HEADING)
      return [headingOf(heading, labels)]
    }
    // Between two blocks nothing but blank lines stands.
    const written = lines
      .slice(from, found[at + 1]?.from)
      .join('\n')
      .trim()
    return written === '' ? [] : [{ kind: 'text', text: written }]
  })
  const steps =
    lines.length / LINES_A_STEP + containers / CONTAINERS_A_STEP + headingCharacters / HEADING_CHARACTERS_A_STEP
  return { blocks, work: Math.ceil(steps) }
}

/** An anchor that many site generators let a heading end with, such as `{#install}`: no CommonMark, and nothing to read. */
const HEADING_ATTRIBUTES = /(?<=\S) ?\{:? ?#[^{}]*\}$/

function headingOf({ written, depth }: Heading, labels: ReadonlySet<string>): MarkdownBlock {
  if (written.length > LONGEST_WRITTEN_HEADING) return { kind: 'text', text: written }
  const words = inlineText(written.replaceAll('\0', '\uFFFD'), (key) => labels.has(key))
  const title = words.replace(HEADING_ATTRIBUTES, '')
  return title.length > LONGEST_HEADING ? { kind: 'text', text: written } : { kind: 'heading', title, depth }
}
