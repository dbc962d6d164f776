/** Fields of a namespace's metadata, kept parsed for the next filter. */
import type { Json } from '../../core/chunk.ts'
import type { Column } from './compile-filter.ts'
import type { Path } from './filter.ts'
import { jsonPath } from './path.ts'

/** Reads a field of rows: JSON texts in the order of the positions, `null` where a row has none. */
export type FieldReader = (jsonPath: string, positions: readonly number[]) => readonly (string | null)[]

/** The values that a `FieldReader` gave. */
export function parsedColumn(texts: readonly (string | null)[]): Column {
  // Storage cut them out of JSON.
  return texts.map((text) => (text === null ? undefined : (JSON.parse(text) as Json)))
}

/** What was read of the rows of one page, by path. */
interface Page {
  readonly columns: Map<string, Column>
  characters: number
}

/** Rows of a page. A write makes its page, and no more, be read again. */
export const PAGE_ROWS = 512

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
   * @param budget characters that all pages together may keep
   */
  column(number: number, path: Path, read: (jsonPath: string) => readonly (string | null)[], budget: number): Column {
    const name = jsonPath(path)
    const page = this.#page(number)
    const known = page.columns.get(name)
    if (known !== undefined) return known
    const texts = read(name)
    const column = parsedColumn(texts)
    page.columns.set(name, column)
    this.#grow(page, texts)
    for (const oldest of this.#pages.keys()) {
      if (this.#characters <= budget) break
      this.#drop(oldest)
    }
    return column
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

  #grow(page: Page, texts: readonly (string | null)[]): void {
    const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0) + VALUE_CHARACTERS, 0)
    page.characters += characters
    this.#characters += characters
  }

  #drop(number: number): void {
    this.#characters -= this.#pages.get(number)?.characters ?? 0
    this.#pages.delete(number)
  }
}
