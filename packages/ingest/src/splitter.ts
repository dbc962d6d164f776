/** Format of a document. */
export type DocumentFormat = 'markdown' | 'text' | 'html'

/** A part of a document, as it is indexed. */
export interface DocumentPart {
  readonly text: string
  /** Path of the headings above it, outermost first, joined by ` › `. */
  readonly section?: string
}

/** A document in parts. */
export interface SplitDocument {
  readonly parts: readonly DocumentPart[]
  /** Whether invisible text was left out. */
  readonly hiddenText: boolean
  /** The document's own title, if it has one. */
  readonly title?: string
  /**
   * Work in steps of some microseconds each, at most linear in the document's length; the total of one call is limited.
   *
   * @default 0
   */
  readonly work?: number
}

/** Splits a document into parts that can be searched and quoted on their own. */
export interface Splitter {
  /** Must change whenever the same text would be split differently; part of a document's content hash. */
  readonly version: string
  /**
   * Yields to the event loop while splitting long documents.
   *
   * @throws `too_deep` for a document with too deep nesting, `document_too_complex` for one with too many parts
   */
  split(text: string, format: DocumentFormat): Promise<SplitDocument>
}
