/** Where the blocks of a Markdown document begin: its lines, one after another, as the appendix of CommonMark reads them. */
import { RagGateError } from '../../errors.ts'
import { htmlBlockEnd } from './html-in-markdown.ts'
import type { Line } from './line.ts'
import { definitionsEnd } from './links.ts'

/** How deep lists and quotes may stand in each other: every line is held against all of them. */
const MAX_LEVELS = 27
const LEVELS = { quote: 1, item: 2 } as const

/** Each is held until the document is read. */
const MAX_BLOCKS = 100_000

/** A heading as it is written. */
export interface Heading {
  readonly written: string
  readonly depth: number
}

/** A block of the document itself, up to where the next begins. */
export interface FoundBlock {
  /** Its first line. */
  from: number
  /** Of lists, the mark of their items. */
  list?: string
  heading?: Heading
  /** Nobody reads it. */
  unread?: boolean
}

/** What holds other blocks. */
type Container =
  | { readonly kind: 'quote' }
  | {
      readonly kind: 'item'
      /** The last character of what marks it: items of another mark are another list. */
      readonly mark: string
      /** Columns that its lines are indented by. */
      readonly indent: number
      /** A blank line ends an item that nothing stands in yet. */
      empty: boolean
    }

interface Paragraph {
  readonly kind: 'paragraph'
  readonly lines: string[]
  /** Of the document itself; undefined within a list or a quote. */
  readonly block: FoundBlock | undefined
}

/** The block that lines are added to. */
type Leaf =
  | Paragraph
  | { readonly kind: 'indented' }
  /** Fenced code or HTML: what is in it is not looked at. */
  | { readonly kind: 'raw'; readonly endsWith: (line: Line) => boolean }

const HEADING = /^(#{1,6})(?:[ \t]|$)/
const UNDERLINE = /^(?:=+|-+)[ \t]*$/
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const FENCE = /^(?:`{3,}(?=[^`]*$)|~{3,})/
const FENCE_END = /^(`+|~+)[ \t]*$/
const ITEM = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/

/** Space of so many columns makes code of a line. */
const CODE_INDENT = 4

/** What was found in a document. */
export interface ReadBlocks {
  readonly found: readonly FoundBlock[]
  /** Of what links are defined as, by `labelKey`. */
  readonly labels: ReadonlySet<string>
  /** How many containers lines were held against, all lines together. */
  readonly containers: number
}

/** Reads lines one after another, each against the containers and the leaf that are open before it. */
export class BlockReader {
  readonly #found: FoundBlock[] = []
  readonly #labels = new Set<string>()
  readonly #containers: Container[] = []
  #leaf: Leaf | undefined
  /** Looked at, all lines together. */
  #looks = 0

  /** To be called once, after the last line. */
  finish(): ReadBlocks {
    this.#close(0)
    return { found: this.#found, labels: this.#labels, containers: this.#looks }
  }

  read(line: Line, at: number): void {
    let within = 0
    while (within < this.#containers.length && goesOn(this.#containers[within]!, line)) within++
    this.#looks += within
    if (this.#leaf?.kind === 'raw' && within === this.#containers.length) {
      if (this.#leaf.endsWith(line)) this.#leaf = undefined
      return
    }
    while (line.first !== undefined && line.indent < CODE_INDENT) {
      if (UNDERLINE.test(line.rest) && this.#underline(within, line.rest)) return
      if (this.#beginsLeaf(line, at, within)) return
      const container = containerFrom(line, this.#paragraph(within) !== undefined)
      if (container === undefined) break
      this.#open(container, at, within)
      within = this.#containers.length
    }
    this.#addText(line, at, within)
  }

  /** The paragraph that a line stands in by itself, within so many containers. */
  #paragraph(within: number): Paragraph | undefined {
    return this.#leaf?.kind === 'paragraph' && within === this.#containers.length ? this.#leaf : undefined
  }

  /** Makes a heading of the paragraph above, unless that holds definitions alone. */
  #underline(within: number, underline: string): boolean {
    const paragraph = this.#paragraph(within)
    if (paragraph === undefined) return false
    const { written, block } = this.#endParagraph(paragraph)
    if (block !== undefined) block.heading = { written: written.trim(), depth: underline.startsWith('=') ? 1 : 2 }
    return written !== ''
  }

  #beginsLeaf(line: Line, at: number, within: number): boolean {
    const { rest } = line
    const [, signs] = HEADING.exec(rest) ?? []
    if (signs !== undefined) {
      const block = this.#begin(at, within)
      if (block !== undefined) block.heading = { written: headingIn(rest, signs.length), depth: signs.length }
      return true
    }
    const [fence] = FENCE.exec(rest) ?? []
    if (fence !== undefined) {
      this.#begin(at, within)
      this.#leaf = { kind: 'raw', endsWith: (last) => endsFence(last, fence) }
      return true
    }
    const htmlEnd = htmlBlockEnd(rest, this.#leaf?.kind === 'paragraph')
    if (htmlEnd === undefined && !RULE.test(rest)) return false
    const block = this.#begin(at, within)
    if (block !== undefined) block.unread = true
    if (htmlEnd?.test(rest) === false) this.#leaf = { kind: 'raw', endsWith: (last) => htmlEnd.test(last.rest) }
    return true
  }

  /** Adds what begins no other block: to a paragraph also where the marks of what it stands in are missing. */
  #addText(line: Line, at: number, within: number): void {
    const isCode = this.#leaf?.kind === 'indented' && within === this.#containers.length
    if (line.first === undefined) {
      if (!isCode) this.#close(within)
    } else if (this.#leaf?.kind === 'paragraph') {
      this.#leaf.lines.push(line.rest)
    } else if (line.indent < CODE_INDENT) {
      const block = this.#begin(at, within)
      this.#leaf = { kind: 'paragraph', lines: [line.rest], block }
    } else if (!isCode) {
      this.#begin(at, within)
      this.#leaf = { kind: 'indented' }
    }
  }

  /** @returns the block of the document itself that begins here; undefined within a list or a quote */
  #begin(at: number, within: number): FoundBlock | undefined {
    this.#close(within)
    if (within > 0) return undefined
    if (this.#found.length >= MAX_BLOCKS) {
      throw new RagGateError('document_too_complex', `Markdown may have at most ${MAX_BLOCKS} blocks`)
    }
    const block = { from: at }
    this.#found.push(block)
    return block
  }

  #open(container: Container, at: number, within: number): void {
    const list = container.kind === 'item' ? container.mark : undefined
    this.#close(within)
    // An item of the same mark goes on with the list before it.
    if (within === 0 && (list === undefined || this.#found.at(-1)?.list !== list)) {
      const block = this.#begin(at, within)
      if (block !== undefined && list !== undefined) block.list = list
    }
    this.#containers.push(container)
    const levels = this.#containers.reduce((sum, { kind }) => sum + LEVELS[kind], 0)
    if (levels > MAX_LEVELS) throw new RagGateError('too_deep', 'The Markdown nests too deeply')
  }

  /** Ends the leaf, and all but so many containers. */
  #close(within: number): void {
    if (this.#leaf?.kind === 'paragraph') this.#endParagraph(this.#leaf)
    this.#leaf = undefined
    this.#containers.length = within
  }

  /** @returns what is left of the paragraph behind the definitions that it began with */
  #endParagraph({ lines, block }: Paragraph): { readonly written: string; readonly block: FoundBlock | undefined } {
    this.#leaf = undefined
    const text = lines.join('\n')
    const end = text.startsWith('[') ? definitionsEnd(text, this.#labels) : 0
    const written = text.slice(end)
    if (end === 0 || block === undefined) return { written, block }
    block.unread = true
    const from = block.from + text.slice(0, end).split('\n').length - 1
    return { written, block: written === '' ? undefined : this.#found[this.#found.push({ from }) - 1] }
  }
}

/** Whether a line stands in a container, too; then what it stands there by is taken off it. */
function goesOn(container: Container, line: Line): boolean {
  if (container.kind === 'quote') return takeQuoteMark(line)
  if (line.first === undefined) return !container.empty
  if (line.indent < container.indent) return false
  line.skipIndent(container.indent)
  container.empty = false
  return true
}

function takeQuoteMark(line: Line): boolean {
  if (line.first !== '>' || line.indent >= CODE_INDENT) return false
  line.skipMark(1)
  line.skipIndent(Math.min(line.indent, 1))
  return true
}

/** The container that begins here; its mark is taken off the line. */
function containerFrom(line: Line, inParagraph: boolean): Container | undefined {
  if (takeQuoteMark(line)) return { kind: 'quote' }
  const { rest, indent } = line
  const [mark, number = '1'] = ITEM.exec(rest) ?? []
  if (mark === undefined) return undefined
  // A line of text may begin with a number and a full stop.
  if (inParagraph && (Number(number) !== 1 || !/[^ \t]/.test(rest.slice(mark.length)))) return undefined
  line.skipMark(mark.length)
  const empty = line.first === undefined
  const space = empty || line.indent > CODE_INDENT ? 1 : line.indent
  line.skipIndent(Math.min(line.indent, space))
  return { kind: 'item', mark: mark.slice(-1), indent: indent + mark.length + space, empty }
}

function endsFence(line: Line, fence: string): boolean {
  const [, marks = ''] = (line.indent < CODE_INDENT && FENCE_END.exec(line.rest)) || []
  return marks.startsWith(fence)
}

/** What stands behind the signs that begin a heading, without those that may end it. */
function headingIn(rest: string, signs: number): string {
  const written = rest.slice(signs).trimEnd()
  let end = written.length
  while (written[end - 1] === '#') end--
  const isClosed = end === 0 || written[end - 1] === ' ' || written[end - 1] === '\t'
  return (isClosed ? written.slice(0, end) : written).trim()
}
