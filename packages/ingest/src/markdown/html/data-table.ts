/** Converts an HTML table to a Markdown table. */

/** Maximum number of columns for a spanning cell. */
const WIDEST_SPAN = 20
/** A cell with more lines shows that the table is used for layout. */
const MOST_LINES = 4

interface Cell {
  readonly lines: string[]
}

/** Collects cells. Nothing nests in it: a cell with lists, headings or tables makes it a layout table. */
export class DataTable {
  readonly #rows: Cell[][] = []
  #open: Cell | undefined
  /** By column: the number of rows, from the current one, that are covered by a cell of an earlier row. */
  #fromAbove: number[] = Array<number>(WIDEST_SPAN).fill(0)
  /** By column: the number of following rows that a cell of the current row covers. */
  #downwards: number[] = Array<number>(WIDEST_SPAN).fill(0)

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
      this.#downwards[column] = rows - 1
    }
  }

  closeCell(): void {
    this.#open = undefined
  }

  /** Adds a line to the open cell. @returns `false` if none is open */
  put(line: string): boolean {
    this.#open?.lines.push(line)
    return this.#open !== undefined
  }

  /** Whether it has several columns and no cell that is too long. */
  get isData(): boolean {
    return (
      this.#rows.some((row) => row.filter(({ lines }) => lines.length > 0).length > 1) &&
      this.#rows.every((row) => row.every(({ lines }) => lines.length <= MOST_LINES))
    )
  }

  /** The lines of each cell, in order. */
  *cells(): Generator<readonly string[]> {
    for (const row of this.#rows) for (const { lines } of row) yield lines
  }

  /** The table as Markdown. The first row becomes the required header. */
  lines(): string[] {
    const rows = this.#rows.map(written).filter((row) => row.length > 0)
    const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
    const [head = [], ...others] = rows
    const first = [...head, ...Array<string>(columns - head.length).fill('')]
    return [first, first.map(() => '-'), ...others].map((row) => `| ${row.join(' | ')} |`)
  }
}

const EMPTY: Cell = { lines: [] }

/** A row without trailing empty cells. */
function written(row: readonly Cell[]): string[] {
  const texts = row.map(({ lines }) => lines.join(' ').replaceAll('|', String.raw`\|`))
  while (texts.at(-1) === '') texts.pop()
  return texts
}
