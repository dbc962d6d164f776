/** Collects the Markdown of an MDX text; its HTML is converted by the reader of HTML pages. */
import { BLOCKS, INLINE_CODE, NEVER_SHOWN } from '../markdown/html/elements.ts'
import { type OpenElement, PageReader } from '../markdown/html/page-reader.ts'
import type { Tag } from './tags.ts'

/** Number of characters of the end of the output that are kept for inspection. */
export const LOOK_BACK = 200
/** Maximum nesting of HTML that is converted; deeper tags are removed. */
const MAX_DEPTH = 100

/** Inline elements: removing their tags does not split a word. */
export const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em i ins kbd mark q rp rt ruby s samp small span strong sub sup u var'.split(
    ' ',
  ),
)
/** Other elements that the reader of HTML converts or leaves out. */
const FOREIGN: ReadonlySet<string> = new Set(['svg', 'math'])
const LINE_ENDS: ReadonlySet<string> = new Set(['br', 'hr'])
const CELLS: ReadonlySet<string> = new Set(['td', 'th'])

/** What lists and quotes put before a line. */
const PREFIX = /^(?:[-:>\d.]+ +| +)*/
/** The beginning of a row of a table, in at most this many characters. */
const ROW = /^ {0,3}\|/
const INDENT = 4
/** A placeholder for Markdown while HTML is read, between private-use characters. */
const HELD = /\ue000(\d{1,7})\ue001/g

/** A blank line, or the start of an item, quote, heading, fence or table. */
const BLOCK = /\n[ \t]*\n|^[ \t]*(?:[-*+>] |#{1,6} |\d{1,9}[.)] |`{3}|~{3}|\|[^\n]*\n)/m

/** HTML that is being read. */
interface Page {
  readonly reader: PageReader
  readonly open: { readonly name: string; readonly element: OpenElement }[]
  /** Markdown for which there is a placeholder in the page. */
  readonly held: string[]
  /** Markdown since the last tag. */
  run: string[]
  readonly inline: boolean
}

/** The Markdown written so far. */
export class Output {
  readonly #out: string[] = []
  // The end of the output, kept separately: joining all of it for each look would be quadratic.
  #tail = ''
  /** The first characters of the current line. */
  #line = ''
  #page: Page | undefined

  /** The end of the output. */
  get tail(): string {
    return this.#tail
  }

  write(piece: string): void {
    const into = this.#page?.run ?? this.#out
    into.push(piece)
    const from = piece.lastIndexOf('\n') + 1
    this.#line = ((from === 0 ? this.#line : '') + piece.slice(from, from + INDENT)).slice(0, INDENT)
    this.#tail = (this.#tail + piece.slice(-LOOK_BACK)).slice(-LOOK_BACK)
  }

  /** Whether this start tag is for the reader of HTML. */
  takes({ name, attributes }: Tag): boolean {
    const page = this.#page
    if (page !== undefined && page.open.length >= MAX_DEPTH) return false
    // A row of a table is one line.
    if (ROW.test(this.#line)) return false
    if (BLOCKS.has(name) || NEVER_SHOWN.has(name) || FOREIGN.has(name)) return true
    if (page !== undefined && (LINE_ENDS.has(name) || page.open.some((open) => FOREIGN.has(open.name)))) return true
    if (INLINE_CODE.has(name) && this.isIn('pre')) return true
    return attributes.has('hidden') || attributes.has('style')
  }

  begin({ name, kind, attributes }: Tag): void {
    this.#endRun()
    this.#page ??= { reader: new PageReader(true), open: [], held: [], run: [], inline: INLINE.has(name) }
    const page = this.#page
    const element = page.reader.begin({ name, attribute: (of) => attributes.get(of) })
    if (element !== undefined && kind === 'opening') page.open.push({ name, element })
    else if (element !== undefined) page.reader.end(element)
    this.#startLine()
    if (page.open.length === 0) this.#endPage(page)
  }

  /** @returns `false` if HTML has no open element of this name */
  end(name: string): boolean {
    const page = this.#page
    if (page === undefined) return false
    const at = page.open.map((open) => open.name).lastIndexOf(name)
    if (at < 0) return false
    this.#endRun()
    const [{ element }] = page.open.splice(at) as [Page['open'][0]]
    page.reader.end(element)
    this.#startLine()
    if (at === 0) this.#endPage(page)
    return true
  }

  /** @returns the whole Markdown */
  finish(): string {
    if (this.#page !== undefined) {
      this.#endRun()
      this.#endPage(this.#page)
    }
    return this.#out.join('')
  }

  /** Whether an element of HTML is open. */
  isIn(name: string): boolean {
    return this.#page?.open.some((open) => open.name === name) === true
  }

  /** What follows a tag of HTML stands at the beginning of a line. */
  #startLine(): void {
    this.#tail = '\n'
    this.#line = ''
  }

  /** Passes the Markdown since the last tag to the reader of HTML. */
  #endRun(): void {
    const page = this.#page
    if (page === undefined) return
    const run = page.run.join('').replaceAll(/[\ue000\ue001]/g, '')
    page.run = []
    const { reader } = page
    if (this.isIn('pre')) {
      reader.text(run)
      return
    }
    const words = withoutIndent(run).trim()
    const text = words === '' ? '' : `\ue000${page.held.push(words) - 1}\ue001`
    // Several blocks do not fit in a cell: as a list, they make the table around them a layout table.
    const apart = CELLS.has(page.open.at(-1)?.name ?? '') && BLOCK.test(words)
    const list = apart ? reader.begin({ name: 'ul', attribute: () => undefined }) : undefined
    reader.text(`${run.trimStart() === run ? '' : ' '}${text}${run.trimEnd() === run ? '' : ' '}`)
    if (list !== undefined) reader.end(list)
  }

  #endPage({ reader, held, inline }: Page): void {
    this.#page = undefined
    const { blocks } = reader.finish()
    const written = blocks.map((block) => {
      if (block.kind === 'text')
        return block.text
          .split('\n')
          .map((line) => withHeld(line, held))
          .join('\n')
      return `${'#'.repeat(block.depth)} ${withHeld(block.title, held).replaceAll(/\s+/g, ' ')}`
    })
    const text = written.join('\n\n')
    if (text !== '') this.write(inline ? text : `\n\n${text}\n\n`)
  }
}

/** A line with the Markdown of its placeholders, whose further lines are indented like it. */
function withHeld(line: string, held: readonly string[]): string {
  const [before = ''] = PREFIX.exec(line) ?? []
  const isRow = line.startsWith('| ')
  return line.replaceAll(HELD, (_, number: string) => {
    const text = held[Number(number)]!
    if (isRow) return text.replaceAll(/\s+/g, ' ').replaceAll(/(?<!\\)\|/g, String.raw`\|`)
    const indent = before.replaceAll(/[^> ]/g, ' ')
    return text
      .split('\n')
      .map((part, at) => (at === 0 ? part : `${indent}${part}`.trimEnd()))
      .join('\n')
  })
}

/** Removes the indentation that all lines share; a line that a tag begins has none. */
function withoutIndent(text: string): string {
  const indents = [...text.matchAll(/\n([ \t]*)\S/g)].map(([, { length } = '']) => length)
  const shared = indents.reduce((least, length) => Math.min(least, length), Infinity)
  return shared === Infinity || shared === 0 ? text : text.replaceAll(new RegExp(`\n[ \t]{${shared}}`, 'g'), '\n')
}
