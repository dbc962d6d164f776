import { describe, expect, test } from 'vitest'
import {
  namespaceShared,
  placesOf,
  rowsWithoutText,
  shown,
} from '../../../packages/upstream/src/rows/retriever-warnings.ts'

describe('a warning of a retriever', () => {
  test.each([
    ['docs', 'Collections share the namespace "docs": give one by collection'],
    ['', 'Collections share the namespace "": give one by collection'],
  ])('names the shared namespace %j', (namespace, message) => {
    expect(namespaceShared(namespace)).toEqual({ code: 'namespace_shared', message })
  })

  test.each([
    [{ page: 1, 'a\nb': 2 }, 'Their metadata: "page", "a\\nb"'],
    [{}, 'Their metadata: none'],
    [
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`m${at}`, at])),
      `Their metadata: ${Array.from({ length: 20 }, (_, at) => `"m${at}"`).join(', ')}`,
    ],
  ])('names the metadata %j of rows without text, up to twenty members', (metadata, members) => {
    const message = `Rows have no text in body: set fields.text. ${members}`
    expect(rowsWithoutText({ id: 'r1', metadata }, { text: 'body' })).toEqual({ code: 'rows_without_text', message })
  })

  test.each([
    [undefined, 'data, metadata.text, metadata.content and the like'],
    ['page.body', 'page.body'],
    [() => undefined, 'the result of fields.text'],
  ])('names where a text is looked for with fields.text %s', (text, places) => {
    expect(placesOf(text === undefined ? {} : { text })).toBe(places)
  })

  test.each([
    ['a"b', String.raw`"a\"b"`],
    [() => 'x', 'of a function'],
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(78)}…`],
  ])('shows the name %s on one line of at most 80 characters', (name, text) => {
    expect(shown(name)).toBe(text)
  })
})
