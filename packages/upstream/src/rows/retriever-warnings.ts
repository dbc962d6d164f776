/** What a retriever over an index that others filled tells once, and what to do about it. */
import type { IndexRow, PassageFields } from './passage-fields.ts'

/** Something to put right that fails no search; told once, in words for the operator. */
export interface RetrieverWarning {
  readonly code: 'namespace_empty' | 'rows_without_text' | 'namespace_shared' | 'sparse_left_out'
  readonly message: string
}

/** Several collections are searched in one namespace, and find the same. */
export function namespaceShared(namespace: unknown): RetrieverWarning {
  return {
    code: 'namespace_shared',
    message: `Several collections share the namespace ${shown(namespace)}: give one by collection`,
  }
}

/** Rows were found, and no text in them. */
export function rowsWithoutText({ metadata }: IndexRow, fields: PassageFields): RetrieverWarning {
  const members = Object.keys(metadata).slice(0, 20).map(shown).join(', ')
  return {
    code: 'rows_without_text',
    message:
      `Rows have no text where it was looked for (${placesOf(fields)}): set fields.text. ` +
      `Members of their metadata: ${members || 'none'}`,
  }
}

/** Where the text of a row is looked for, in words. */
export function placesOf({ text }: PassageFields): string {
  if (text === undefined) return 'data, metadata.text, metadata.content and the like'
  return typeof text === 'string' ? text : 'the function fields.text'
}

/** A name in a message: on one line, and no longer than it must be. */
export function shown(name: unknown): string {
  const text = typeof name === 'string' ? JSON.stringify(name) : 'of a function'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
