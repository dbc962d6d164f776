/** A table of HTML as a table of Markdown. */

/** Columns that cells which span several are written out to. */
const WIDEST_SPAN = 20
/** A cell of so many lines is a piece of a page, not of a table. */
const MOST_LINES = 4

interface Cell {
  readonly lines: string[]
}

/** Cells as they come. Nothing nests in it: a cell with lists, headings or tables makes the table a layout. */
export class DataTable {
  readonly #rows: Cell[][] = []
  #open: Cell | undefined
  /** By column, in how many rows from this one on a cell of a row above stands. */
  #fromAbove: number[] = Array<number>(WIDEST_SPAN).fill(0)
  /** By column, in how many rows below this one a cell of it stands. */
  #downwards: number[] = Array<number>(WIDEST_SPAN).fill(0)

  get inCell(): boolean {
    return this.#open !== undefined
  }

  openRow(): void {
    this.#rows.push([])
    this.#fromAbove = this.#fromAbove.map((rows, column) => Math.max(rows - 1, this.#downwards[column]!, 0))
    this.#downwards.fill(0)
  }

  openCell(columns: number, rows: number): void {
    if (this.#rows.length === 0) this.openRow()
    const row = this.#rows.at(-1)!
    while ((this.#fromAbove[row.length] ?? 0) > 0) row.push(EMPTY)
    this.#open = { lines: [] }
    const from = row.push(this.#open) - 1
    for (let column = from; column < from + Math.min(columns, WIDEST_SPAN); column++) {
      if (column > from) row.push(EMPTY)
      if (column < WIDEST_SPAN) this.#downwards[column] = rows - 1
    }
  }

  closeCell(): void {
    this.#open = undefined
  }

  /** Takes a line into the open cell. @returns false where none is open */
  put(line: string): boolean {
    this.#open?.lines.push(line)
    return this.#open !== undefined
  }

  /** Whether it has columns, and nothing in it is as long as a page. */
  get isData(): boolean {
    return (
      this.#rows.some((row) => row.filter(({ lines }) => lines.length > 0).length > 1) &&
      this.#rows.every((row) => row.every(({ lines }) => lines.length <= MOST_LINES))
    )
  }

  /** Lines of each cell, in order. */
  *cells(): Generator<readonly string[]> {
    for (const row of this.#rows) for (const { lines } of row) yield lines
  }

  /** As Markdown. The first row is the head, as there has to be one. */
  lines(): string[] {
    const rows = this.#rows.map(written).filter((row) => row.length > 0)
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
    const [head = [], ...others] = rows
    const first = [...head, ...Array<string>(columns - head.length).fill('')]
    return [first, first.map(() => '-'), ...others].map((row) => `| ${row.join(' | ')} |`)
  }
}

const EMPTY: Cell = { lines: [] }

/** A row without the empty cells at its end. */
function written(row: readonly Cell[]): string[] {
  const texts = row.map(({ lines }) => lines.join(' ').replaceAll('|', String.raw`\|`))
  while (texts.at(-1) === '') texts.pop()
  return texts
}
