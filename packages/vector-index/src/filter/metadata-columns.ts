/** Fields of a namespace's metadata, kept parsed for the next filter. */
import { jsonText, type ExactJson } from '../exact-json.ts'
import type { Column } from './compile-filter.ts'
import type { Path } from './filter.ts'
import { valueAt } from './path.ts'

/** Metadata of a row; `undefined` when it has none. */
export type Metadata = Readonly<Record<string, ExactJson>> | undefined

/** What was read of the rows of one page, by path. */
interface Page {
  readonly columns: Map<string, Column>
  characters: number
}

/**
 * Rows of a page: few enough that their metadata, of 48 KB at most, fit into memory together. A write makes its page, and
 * no more, be read again.
 */
export const PAGE_ROWS = 256

/** What a value costs beside its text, in characters. */
const VALUE_CHARACTERS = 8

/** Columns of pages of rows. The pages read first leave when all of them have grown too large. */
export class MetadataColumns {
  /** By number, oldest first. */
  readonly #pages = new Map<number, Page>()
  #characters = 0

  /**
   * Values of a field of the rows of a page.
   *
   * @param rows gives the metadata of the page's rows, if they must be looked at
   * @param bytes what all pages together may keep
   */
  column(number: number, path: Path, rows: () => readonly Metadata[], bytes: number): Column {
    const name = JSON.stringify(path)
    const page = this.#page(number)
    const known = page.columns.get(name)
    if (known !== undefined) return known
    const column = rows().map((metadata) => valueAt(metadata, path))
    page.columns.set(name, column)
    this.#grow(page, column)
    for (const oldest of this.#pages.keys()) {
      if (this.byteLength <= bytes) break
      this.#drop(oldest)
    }
    return column
  }

  /** Bytes kept, about: two for a character. */
  get byteLength(): number {
    return 2 * this.#characters
  }

  /** Forgets the page of a row that was written. */
  forget(slot: number): void {
    this.#drop(Math.floor(slot / PAGE_ROWS))
  }

  #page(number: number): Page {
    const known = this.#pages.get(number)
    if (known !== undefined) return known
    const page = { columns: new Map<string, Column>(), characters: 0 }
    this.#pages.set(number, page)
    return page
  }

  #grow(page: Page, column: Column): void {
    const characters = column.reduce<number>((sum, value) => sum + sizeOf(value), 0)
    page.characters += characters
    this.#characters += characters
  }

  #drop(number: number): void {
    this.#characters -= this.#pages.get(number)?.characters ?? 0
    this.#pages.delete(number)
  }
}

function sizeOf(value: Column[number]): number {
  if (typeof value === 'string') return value.length + VALUE_CHARACTERS
  return (typeof value === 'object' ? jsonText(value).length : 0) + VALUE_CHARACTERS
}
