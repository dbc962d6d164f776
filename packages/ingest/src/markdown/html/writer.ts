/** Writes blocks of Markdown from text and the beginnings and ends of what it stands in. */
import { LONGEST_HEADING, type MarkdownBlock } from '../blocks.ts'
import { DataTable } from './data-table.ts'

/** A block, and in which part of the page it stood. */
export interface PlacedBlock {
  readonly block: MarkdownBlock
  readonly region: string
}

/** Levels of lists and quotes that are told apart; what is deeper stands at the last of them. */
const DEEPEST = 8

/** A list item, a quote or a definition: what begins its first line, and what begins the others. */
interface Container {
  readonly first: string
  readonly others: string
  used: boolean
}

/**
 * One page, or a part of it that is kept apart. Everything is appended, and nothing is gone over twice: time rises with
 * the length of the text alone. Lists, quotes and tables are one block each.
 */
export class MarkdownWriter {
  readonly blocks: PlacedBlock[] = []
  #region = ''
  /** Lists and quotes that are open: what is in them is one block. */
  #groups = 0
  readonly #containers: Container[] = []
  #lines: string[] = []
  #line: string[] = []
  #spaceBefore = false
  #heading: number | undefined
  #preformatted: { language: string; readonly written: string[] } | undefined
  #table: DataTable | undefined
  /** Beginnings of code within the line that nothing followed yet, and those that are written. */
  #codeToOpen = 0
  #codeOpen = 0

  /** Part of the page that the next blocks stand in. */
  get region(): string {
    return this.#region
  }

  openRegion(region: string): void {
    this.#dissolveTable()
    this.endBlock()
    this.#region = region
  }

  closeRegion(around: string): void {
    this.endBlock()
    this.#region = around
  }

  /** @param text as it is shown, with the spaces it was written with */
  text(text: string): void {
    if (this.#preformatted !== undefined) {
      this.#preformatted.written.push(text)
      return
    }
    const words = text.replace(/[ \t\r\n\f\u00a0]+/g, ' ')
    const from = words.startsWith(' ') ? 1 : 0
    if (from === 1) this.#spaceBefore = true
    if (words.length === from) return
    const spaceAfter = words.endsWith(' ')
    if (this.#spaceBefore && this.#line.length > 0) this.#line.push(' ')
    if (this.#codeToOpen > 0) {
      this.#line.push('`'.repeat(this.#codeToOpen))
      this.#codeOpen += this.#codeToOpen
      this.#codeToOpen = 0
    }
    this.#line.push(words.slice(from, spaceAfter ? -1 : undefined))
    this.#spaceBefore = spaceAfter
  }

  /** @param language as far as it is known */
  openCode(language: string): void {
    if (this.#preformatted !== undefined) {
      if (this.#preformatted.language === '') this.#preformatted.language = language
    } else if (this.#codeToOpen + this.#codeOpen === 0) this.#codeToOpen = 1
  }

  closeCode(): void {
    if (this.#codeToOpen > 0) this.#codeToOpen = 0
    else if (this.#codeOpen > 0) {
      this.#line.push('`')
      this.#codeOpen = 0
    }
  }

  /** The end of a line within a paragraph. */
  breakLine(): void {
    if (this.#preformatted !== undefined) this.#preformatted.written.push('\n')
    else if (this.#heading !== undefined) this.#spaceBefore = true
    else this.#endLine()
  }

  /** A block begins or ends here. */
  endBlock(): void {
    if (this.#preformatted !== undefined) {
      const last = this.#preformatted.written.at(-1)
      if (last !== undefined && !last.endsWith('\n')) this.#preformatted.written.push('\n')
    } else if (this.#heading !== undefined) this.#spaceBefore = true
    else {
      this.#endLine()
      this.#endLines()
    }
  }

  /** What stands in no heading begins here: one that is open ends, as soon as it has words. */
  openBlock(): void {
    if (this.#line.length > 0) this.closeHeading()
    this.endBlock()
  }

  openHeading(depth: number): void {
    this.#dissolveTable()
    this.endBlock()
    this.#heading = depth
  }

  closeHeading(): void {
    const depth = this.#heading
    if (depth === undefined) return
    this.#heading = undefined
    const title = this.#takeLine()
    if (title === '') return
    if (this.#groups > 0 || title.length > LONGEST_HEADING) this.#put(title)
    else this.blocks.push({ block: { kind: 'heading', title, depth }, region: this.#region })
    this.#endLines()
  }

  openGroup(): void {
    this.#dissolveTable()
    this.openBlock()
    this.#groups++
  }

  closeGroup(): void {
    this.#endLine()
    this.#groups--
    this.endBlock()
  }

  /** @param first what begins its first line */
  openContainer(first: string, others: string): void {
    this.openGroup()
    this.#containers.push({ first, others, used: false })
  }

  closeContainer(): void {
    this.#endLine()
    this.#containers.pop()
    this.closeGroup()
  }

  /** @param language of the code, as far as it is known */
  openPreformatted(language: string): void {
    this.#dissolveTable()
    this.openBlock()
    this.#preformatted ??= { language, written: [] }
  }

  closePreformatted(): void {
    if (this.#preformatted === undefined) return
    const { language, written } = this.#preformatted
    this.#preformatted = undefined
    const code = written.join('').replace(/\r\n?/g, '\n').replace(/^\n/, '').trimEnd()
    if (code.trim() === '') return
    const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2)
    const fence = '`'.repeat(longest + 1)
    for (const line of `${fence}${language}\n${code}\n${fence}`.split('\n')) this.#put(line)
    this.endBlock()
  }

  openTable(): void {
    this.#dissolveTable()
    this.openBlock()
    this.#table = new DataTable()
  }

  openRow(): void {
    this.endBlock()
    this.#table?.openRow()
  }

  /** Columns and rows that it spans, from 1. */
  openCell(columns: number, rows: number): void {
    this.endBlock()
    this.#table?.openCell(columns, rows)
  }

  closeCell(): void {
    this.endBlock()
    this.#table?.closeCell()
  }

  closeTable(): void {
    this.endBlock()
    const table = this.#table
    if (table === undefined) return
    if (table.isData) {
      this.#table = undefined
      for (const line of table.lines()) this.#put(line)
      this.endBlock()
    } else this.#dissolveTable()
  }

  /** Ends all that is open. */
  end(): void {
    this.closePreformatted()
    this.closeHeading()
    this.closeTable()
    this.#endLine()
    this.#groups = 0
    this.#containers.length = 0
    this.endBlock()
  }

  /** A table that turns out to lay out a page: its cells become blocks one after another. */
  #dissolveTable(): void {
    const table = this.#table
    if (table === undefined) return
    this.#endLine()
    this.#table = undefined
    for (const cell of table.cells()) {
      for (const line of cell) {
        this.#put(line)
        this.#endLines()
      }
    }
  }

  /** @returns '' for one of blanks that HTML takes for characters, such as a vertical tab */
  #takeLine(): string {
    if (this.#codeOpen > 0) this.#line.push('`')
    this.#codeOpen = 0
    this.#codeToOpen = 0
    const line = this.#line.join('')
    this.#line = []
    this.#spaceBefore = false
    return line.trim() === '' ? '' : line
  }

  #endLine(): void {
    if (this.#preformatted !== undefined) return
    const line = this.#takeLine()
    if (line !== '') this.#put(line)
  }

  #put(line: string): void {
    if (this.#table?.put(line) === true) return
    this.#lines.push(this.#prefix() + line)
  }

  #prefix(): string {
    let prefix = ''
    for (const [at, container] of this.#containers.entries()) {
      if (at >= DEEPEST) break
      prefix += container.used ? container.others : container.first
      container.used = true
    }
    return prefix
  }

  #endLines(): void {
    if (this.#groups > 0 || this.#lines.length === 0 || this.#table?.inCell === true) return
    this.blocks.push({ block: { kind: 'text', text: this.#lines.join('\n') }, region: this.#region })
    this.#lines = []
  }
}
