import { describe, expect, test } from 'vitest'
import type { Passage } from '../../../src/core/evidence/chunk.ts'
import {
  checkPassageFilter,
  filterKey,
  passesFilter,
  type PassageFilter,
} from '../../../src/core/evidence/passage-filter.ts'

const PASSAGE: Passage = {
  id: 'p',
  documentId: 'guide',
  text: 'text',
  source: 'https://example.com',
  version: '3',
  metadata: { team: 'edge', level: 1, open: true, tags: ['edge'], access: { level: 'staff' }, nothing: null },
}

test.each<[PassageFilter, boolean]>([
  [{ documentId: 'guide' }, true],
  [{ documentId: ['other', 'guide'] }, true],
  [{ documentId: 'guide', source: 'https://example.org' }, false],
  // Numbers of an index that others filled are texts in a passage.
  [{ version: 3 }, true],
  [{ version: [1, 2] }, false],
  [{ 'metadata.team': 'edge', 'metadata.level': [0, 1] }, true],
  [{ 'metadata.team': 'Edge' }, false],
  [{ 'metadata.access.level': 'staff' }, true],
  [{ 'metadata.open': true }, true],
  [{ 'metadata.open': 1 }, true],
  [{ 'metadata.level': true }, true],
  [{ 'metadata.level': '1' }, false],
  [{ 'metadata.tags': 'edge' }, false],
  [{ 'metadata.tags.0': 'edge' }, false],
  [{ 'metadata.tags.length': 1 }, false],
  [{ 'metadata.team.length': 4 }, false],
  [{ 'metadata.nothing.at': 0 }, false],
  [{ 'metadata.access': 'staff' }, false],
  [{ 'metadata.nothing': 0 }, false],
  [{ 'metadata.missing': false }, false],
  [{ 'metadata.toString': 'x' }, false],
  [{ title: 'x' }, false],
])('%j passes the test passage: %j', (filter, passes) => {
  expect(passesFilter(PASSAGE, checkPassageFilter(filter))).toBe(passes)
})

test('a passage without the field fails a filter on it, even a filter for null', () => {
  // What no check would let through.
  expect(passesFilter(PASSAGE, { title: null as unknown as string })).toBe(false)
})

test('a passage without metadata fails a filter on metadata', () => {
  expect(passesFilter({ id: 'p', documentId: 'd', text: 't' }, { 'metadata.team': 'edge' })).toBe(false)
})

describe('a filter', () => {
  const many = <Value>(count: number, make: (at: number) => Value) => Array.from({ length: count }, (_, at) => make(at))
  const fields = (count: number) => Object.fromEntries(many(count, (at) => [`metadata.f${at}`, 1]))

  test.each<[string, unknown]>([
    ['without fields', {}],
    ['that is nothing', null],
    ['that is a text', 'source = 1'],
    ['of 17 fields', fields(17)],
    ['by the id', { id: 'p' }],
    ['by the text', { text: 'x' }],
    ['by metadata as a whole', { metadata: 'x' }],
    ['by an element of a list', { 'metadata.tags[0]': 'x' }],
    ['by a field with a space', { 'metadata.a b': 'x' }],
    ['by a field with an operator in it', { 'metadata.a = 1 OR metadata.b': 'x' }],
    ['with no value', { source: [] }],
    ['with 101 values', { source: many(101, String) }],
    ['with a single quote', { source: "a'b" }],
    ['with a double quote', { source: ['a', 'a"b'] }],
    ['with a backslash', { source: String.raw`a\b` }],
    ['with a line break', { source: 'a\nb' }],
    ['with NUL', { source: 'a\0b' }],
    ['with half a character', { source: 'a\ud800' }],
    ['with a long text', { source: 'x'.repeat(257) }],
    ['with NaN', { 'metadata.level': NaN }],
    ['with infinity', { 'metadata.level': -Infinity }],
    ['with null', { source: null }],
    ['with an object', { source: { $ne: 'x' } }],
  ])('%s is rejected', (_name, filter) => {
    expect(() => checkPassageFilter(filter as PassageFilter)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'filter' }),
    )
  })

  test.each<[unknown, string]>([
    [{}, 'must name 1 to 16 fields'],
    [{ text: 'x' }, 'must name fields of passages, not text'],
    [{ team: 'x' }, 'must name fields of passages, not team'],
    [{ source: [] }, 'source must have 1 to 100 values'],
    [{ 'metadata.level': NaN }, 'metadata.level is unsafe'],
  ])('%j is rejected with a reason', (filter, problem) => {
    expect(() => checkPassageFilter(filter as PassageFilter)).toThrow(`The filter ${problem}`)
  })

  test('at the limits of size and length is accepted', () => {
    expect(() => checkPassageFilter(fields(16))).not.toThrow()
    expect(() => checkPassageFilter({ source: many(100, String), title: 'x'.repeat(256) })).not.toThrow()
    expect(() => checkPassageFilter({ 'metadata.a-b_1.c': 'é 漢 😀' })).not.toThrow()
  })

  test('has its own key, the same for any order of the fields', () => {
    expect(filterKey({ source: 'a', title: 'b' })).toBe(filterKey({ title: 'b', source: 'a' }))
    const keys = [
      undefined,
      { source: 'a' },
      { source: ['a'] },
      { source: 'b' },
      { title: 'a' },
      { 'metadata.a': 1 },
      { 'metadata.a': true },
    ]
    expect(new Set(keys.map(filterKey)).size).toBe(keys.length)
    expect(filterKey(undefined)).toBe('')
  })
})
