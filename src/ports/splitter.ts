/** A piece of a document, as it will be searched. */
export interface DocumentPart {
  readonly text: string
  /** Path of headings above it, outermost first, joined by ` › `. */
  readonly section?: string
}

/** Cuts a document into parts that can each be searched and quoted on their own. */
export interface Splitter {
  /** Changes whenever the same text would be cut otherwise: part of a document's content hash. */
  readonly version: string
  split(text: string, format: 'markdown' | 'text'): readonly DocumentPart[]
}
