/** What a retriever over somebody else's index tells once, and what to do about it. */
import type { IndexRow, PassageFields } from '../../core/evidence/passage-fields.ts'
import type { RetrieverWarning } from '../../ports/retriever.ts'

/** Several collections are searched in one namespace, and find the same. */
export function namespaceShared(namespace: unknown): RetrieverWarning {
  return {
    code: 'namespace_shared',
    message:
      `Several collections are searched in the one namespace ${shown(namespace)}, and find the same: give the ` +
      'retriever a namespace by collection, (tenant, collection) => …, or make one retriever for each',
  }
}

/** A part of the index is not asked. */
export function sparseLeftOut(why: string): RetrieverWarning {
  return {
    code: 'sparse_left_out',
    message:
      `The index is searched by its dense part alone: ${why}. methods: 'hybrid' takes the order of its sparse part ` +
      "too, where that can be asked; methods: 'dense' is content without it",
  }
}

/** Rows were found, and no text in them. */
export function rowsWithoutText({ metadata }: IndexRow, fields: PassageFields): RetrieverWarning {
  const members = Object.keys(metadata).slice(0, 20).map(shown).join(', ')
  return {
    code: 'rows_without_text',
    message:
      `Rows of the index have no text where it was looked for (${placesOf(fields)}); members of their metadata: ` +
      `${members || 'none'}. Say where it stands: fields: { text: 'member' } or fields: { text: (row) => … }`,
  }
}

/** A namespace holds nothing. @param counts vectors by namespace */
export function namespaceEmpty(namespace: string, counts: ReadonlyMap<string, number>): RetrieverWarning {
  const filled = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  const others = filled.slice(0, 5).map(([name, count]) => `${shown(name)} (${count})`)
  const advice =
    others.length === 0
      ? 'The whole index is empty: was it filled, and is this its URL?'
      : `Namespaces that hold something: ${others.join(', ')}. Say which: namespace: 'name', or (tenant, collection) => …`
  return {
    code: 'namespace_empty',
    message: `The namespace ${shown(namespace)} of the index holds nothing, so every question is refused. ${advice}`,
  }
}

/** Where the text of a row is looked for, in words. */
export function placesOf({ text }: PassageFields): string {
  if (text === undefined) return 'data, metadata.text, metadata.content and the like'
  return typeof text === 'string' ? text : 'the function fields.text'
}

/** A name in a message: on one line, and no longer than it must be. */
function shown(name: unknown): string {
  const text = typeof name === 'string' ? JSON.stringify(name) : 'of a function'
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
