/** Writes Markdown blocks from texts and the starts and ends of elements. */
import type { MarkdownBlock } from '../blocks.ts'
import { DataTable } from './data-table.ts'
import { LONGEST_HEADING } from './elements.ts'

/** A block, and its region of the page. */
export interface PlacedBlock {
  readonly block: MarkdownBlock
  readonly region: string
}

/** Maximum nesting of lists and quotes; deeper ones are written at this level. */
const DEEPEST = 8

/** A list item, quote or definition: prefix of its first line, and of its other lines. */
interface Container {
  readonly first: string
  readonly others: string
  used: boolean
}

/** Writes a page, or a separate part of one, by appending only, in linear time. A list, quote or table is one block. */
export class MarkdownWriter {
  readonly blocks: PlacedBlock[] = []
  #region = ''
  /** Number of open lists and quotes, whose content is one block. */
  #groups = 0
  readonly #containers: Container[] = []
  #lines: string[] = []
  #line: string[] = []
  #spaceBefore = false
  #heading: number | undefined
  #preformatted: { language: string; readonly written: string[] } | undefined
  #table: DataTable | undefined
  /** Inline code: `begun` is not yet written because no text followed. */
  #code: 'none' | 'begun' | 'written' = 'none'

  /** Region of the following blocks. */
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

  /** @param text visible text with its original whitespace */
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
    if (this.#code === 'begun') {
      this.#line.push('`')
      this.#code = 'written'
    }
    this.#line.push(words.slice(from, spaceAfter ? -1 : undefined))
    this.#spaceBefore = spaceAfter
  }

  /** @param language of the code, if known */
  openCode(language: string): void {
    if (this.#preformatted !== undefined) {
      if (this.#preformatted.language === '') this.#preformatted.language = language
    } else if (this.#heading === undefined && this.#code === 'none') this.#code = 'begun'
  }

  closeCode(): void {
    if (this.#code === 'written') this.#line.push('`')
    this.#code = 'none'
  }

  /** A line break within a paragraph. */
  breakLine(): void {
    if (this.#preformatted !== undefined) this.#preformatted.written.push('\n')
    else if (this.#heading !== undefined) this.#spaceBefore = true
    else this.#endLine()
  }

  /** Called where a block begins or ends. */
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

  /** Begins a block that cannot be in a heading: an open heading with text ends. */
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
    this.#groups--
    this.endBlock()
  }

  /** @param first prefix of its first line */
  openContainer(first: string, others: string): void {
    this.openGroup()
    this.#containers.push({ first, others, used: false })
  }

  closeContainer(): void {
    this.#endLine()
    this.#containers.pop()
    this.closeGroup()
  }

  /** @param language of the code, if known */
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
    if (code === '') return
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
    this.#table?.openRow()
  }

  /** Begins a cell; numbers of columns and rows that it spans, from 1. */
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

  /** Converts a layout table: its cells become consecutive blocks. */
  #dissolveTable(): void {
    const table = this.#table
    if (table === undefined) return
    this.#table = undefined
    for (const cell of table.cells()) {
      for (const line of cell) {
        this.#put(line)
        this.#endLines()
      }
    }
  }

  /** @returns '' if the line consists of whitespace that HTML does not collapse, such as a vertical tab */
  #takeLine(): string {
    this.closeCode()
    const line = this.#line.join('')
    this.#line = []
    return line.trim() === '' ? '' : line
  }

  #endLine(): void {
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
    if (this.#groups > 0 || this.#lines.length === 0) return
    this.blocks.push({ block: { kind: 'text', text: this.#lines.join('\n') }, region: this.#region })
    this.#lines = []
  }
}
