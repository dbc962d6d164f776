/** Warnings of a retriever over an index that others filled, with remedies; each is given once. */
import type { IndexRow, PassageFields } from './passage-fields.ts'

/** A configuration problem that does not make searches fail, in words for the operator. */
export interface RetrieverWarning {
  readonly code: 'namespace_empty' | 'rows_without_text' | 'namespace_shared' | 'sparse_left_out'
  readonly message: string
}

/** Warns that several collections share one namespace, and so get the same results. */
export function namespaceShared(namespace: unknown): RetrieverWarning {
  return {
    code: 'namespace_shared',
    message: `Collections share the namespace ${shown(namespace)}: give one by collection`,
  }
}

/** Warns that rows were found, but no text in them. */
export function rowsWithoutText({ metadata }: IndexRow, fields: PassageFields): RetrieverWarning {
  const members = Object.keys(metadata).slice(0, 20).map(shown).join(', ')
  return {
    code: 'rows_without_text',
    message: `Rows have no text in ${placesOf(fields)}: set fields.text. Their metadata: ${members || 'none'}`,
  }
}

/** Describes where a row's text is looked for. */
export function placesOf({ text }: PassageFields): string {
  if (text === undefined) return 'data, metadata.text, metadata.content and the like'
  return typeof text === 'string' ? text : 'the result of fields.text'
}

/** A name in a message: on one line, truncated. */
export function shown(name: unknown): string {
  const text = typeof name === 'string' ? JSON.stringify(name) : 'of a function'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
