/** A line of Markdown, read from the left; tabs reach to the next column that four divides. */

const TAB_STOP = 4

/** What is left of a line after the marks of the lists and quotes that it stands in. */
export class Line {
  readonly #text: string
  /** Where the containers read so far end. */
  #column = 0
  /** The next character that is neither space nor tab, and its column. */
  #next = 0
  #nextColumn = 0

  constructor(text: string) {
    this.#text = text
    this.#skipSpace()
  }

  /** Columns of space before `rest`. */
  get indent(): number {
    return this.#nextColumn - this.#column
  }

  /** Without the space in front of it. */
  get rest(): string {
    return this.#text.slice(this.#next)
  }

  /** The first character of `rest`; undefined for a blank line. */
  get first(): string | undefined {
    return this.#text[this.#next]
  }

  /** @param columns of space, up to `indent` */
  skipIndent(columns: number): void {
    this.#column += columns
  }

  /** @param length of a mark at the beginning of `rest`; the space before it goes, too */
  skipMark(length: number): void {
    this.#next += length
    this.#nextColumn += length
    this.#column = this.#nextColumn
    this.#skipSpace()
  }

  #skipSpace(): void {
    let at = this.#next
    let column = this.#nextColumn
    for (; ; at++) {
      const character = this.#text[at]
      if (character === ' ') column++
      else if (character === '\t') column += TAB_STOP - (column % TAB_STOP)
      else break
    }
    this.#next = at
    this.#nextColumn = column
  }
}
