/** What a document is written in. */
export type DocumentFormat = 'markdown' | 'text' | 'html'

/** A piece of a document, as it will be searched. */
export interface DocumentPart {
  readonly text: string
  /** Path of headings above it, outermost first, joined by ` › `. */
  readonly section?: string
}

/** A document in pieces. */
export interface SplitDocument {
  readonly parts: readonly DocumentPart[]
  /** Whether it had text that its readers do not see, and that was left out. */
  readonly hiddenText: boolean
  /** Its own title, where it has one. */
  readonly title?: string
  /**
   * Work that it took, in steps of some microseconds each: what the documents of one call may take together is bounded.
   * It rises with a document's length, and not faster.
   *
   * @default 0
   */
  readonly work?: number
}

/** Cuts a document into parts that can each be searched and quoted on their own. */
export interface Splitter {
  /** Changes whenever the same text would be cut otherwise: part of a document's content hash. */
  readonly version: string
  /** What it can read. */
  readonly formats: readonly DocumentFormat[]
  /**
   * Long documents let others have their turn on the way.
   *
   * @param format one of `formats`
   * @throws `too_deep` for a document that nests beyond what can be read, `document_too_complex` for one of too many parts
   */
  split(text: string, format: DocumentFormat): Promise<SplitDocument>
}
