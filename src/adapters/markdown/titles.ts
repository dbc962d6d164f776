/** Headings as words: the mark-up in them is read by the CommonMark parser of the unified project. */
import { fromMarkdown } from 'mdast-util-from-markdown'
import { toString } from 'mdast-util-to-string'
import { labelOf } from './definitions.ts'

/** A title that is longer stays as it was written. */
const LONGEST_READ = 1000
/**
 * What the parser may be given in one document: it takes a steady time for each title, and some that rises with the square
 * of its length. Together one or two seconds; later titles stay as they were written.
 */
const PARSED_AT_MOST = 100_000_000
const EACH = 2000

const MARKUP = /[\\`*_[\]<>&]/
const ATX = /^#{1,6}[ \t]+(?<title>[^\r\n]*?)(?:[ \t]+#+)?[ \t]*$/
const REFERENCE = /\[((?:[^[\]\\]|\\.)+)\]/g

/**
 * Makes a reader of headings, which gives the words of a heading as written in the document, with its `#` or underline.
 *
 * @param labels of the links that the document defines
 */
export function createTitleReader(labels: ReadonlySet<string>): (written: string) => string {
  const titles = new Map<string, string>()
  let parsed = 0
  return function titleOf(written) {
    const known = titles.get(written)
    if (known !== undefined) return known
    const plain = MARKUP.test(written) ? undefined : plainTitle(written)
    if (plain !== undefined) return plain
    const cost = EACH + written.length ** 2
    if (written.length > LONGEST_READ || parsed + cost > PARSED_AT_MOST) return written
    parsed += cost
    const title = parsedTitle(written, labels)
    titles.set(written, title)
    return title
  }
}

/** The title of a heading in one line without mark-up. */
function plainTitle(written: string): string | undefined {
  if (written.length > LONGEST_READ) return undefined
  return ATX.exec(written)?.groups?.['title']?.trim()
}

function parsedTitle(written: string, labels: ReadonlySet<string>): string {
  const linked = [...written.matchAll(REFERENCE)]
    .map(([, label]) => label!)
    .filter((label) => labels.has(labelOf(label)))
  const definitions = [...new Set(linked)].map((label) => `\n\n[${label}]: #`).join('')
  return toString(fromMarkdown(written + definitions).children[0])
}
