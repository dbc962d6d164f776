import { describe, expect, test } from 'vitest'
import type { ScoreKind } from '../../../src/core/evidence/chunk.ts'
import { checkPassage, rankRows, readPassage } from '../../../src/core/evidence/rows.ts'
import { aPassage } from '../../fixtures/evidence.ts'

describe('ranked rows', () => {
  test.each<[ScoreKind, unknown, number]>([
    ['cosine', 1, 1],
    ['cosine', 1.0000005, 1],
    ['cosine', -1.0000005, -1],
    ['cosine', 1.00001, Number.NaN],
    ['cosine', '0.5', Number.NaN],
    ['bm25', 1e6, 1e6],
    ['bm25', -0.1, Number.NaN],
    ['bm25', Infinity, Number.NaN],
    ['grade', 3, 3],
    ['grade', 3.1, Number.NaN],
    ['cross-encoder', 1.1, Number.NaN],
    ['convex', null, Number.NaN],
    ['dbsf', -0.5, -0.5],
  ])('of kind %s and score %s get the score %s', (kind, score, expected) => {
    expect(rankRows(kind, [{ passage: aPassage('a'), score }], 1).entries[0]!.score).toBe(expected)
  })

  test('are sorted best first without duplicates, malformed scores last, cut to topK, ties as they came', () => {
    const rows = (['a', 'b', 'b', 'c', 'd', 'e'] as const).map((id, at) => ({
      passage: aPassage(id),
      score: [0.1, null, 0.9, 0.5, 0.5, null][at],
    }))
    const ranked = (topK: number): string[] => rankRows('cosine', rows, topK).entries.map(({ passage: { id } }) => id)
    expect(ranked(6)).toEqual(['b', 'c', 'd', 'a', 'e'])
    expect(ranked(3)).toEqual(['b', 'c', 'd'])
  })
})

describe('a passage', () => {
  test('is its own document without a document id, and keeps only the fields of a passage', () => {
    expect(readPassage('a', 'text', { rank: 1, title: 'T' })).toStrictEqual({
      id: 'a',
      documentId: 'a',
      text: 'text',
      title: 'T',
    })
  })

  test('has every field that is given', () => {
    const fields = {
      documentId: 'd',
      title: 'T',
      section: '2',
      source: 'https://example.com',
      version: '7',
      metadata: { team: 'edge' },
    }
    expect(readPassage('a', 'text', fields)).toEqual({ id: 'a', text: 'text', ...fields })
  })

  test('copies and freezes its metadata', () => {
    const metadata = { team: 'red', tags: [{ name: 'a' }] }
    const { metadata: copy } = checkPassage(aPassage('a', { metadata }))
    metadata.team = 'blue'
    metadata.tags[0]!.name = 'b'
    expect(copy).toEqual({ team: 'red', tags: [{ name: 'a' }] })
    expect(() => Object.assign(copy!, { team: 'blue' })).toThrow(TypeError)
    class Row {
      team = 'red'
    }
    const row = new Row()
    const { metadata: read } = readPassage('a', 'text', { metadata: row })
    row.team = 'blue'
    expect(read).toEqual({ team: 'red' })
  })

  test('treats null in a database row as a missing field', () => {
    const none = { documentId: null, title: null, section: null, source: null, version: null, metadata: null }
    expect(readPassage('a', 'text', none)).toEqual(readPassage('a', 'text', {}))
  })

  test.each<[string, unknown, unknown, Record<string, unknown>, string]>([
    ['an id that is a number', 1, 'text', {}, 'a row without id'],
    ['an empty id', '', 'text', {}, 'a row without id'],
    ['no text', 'a', undefined, {}, 'a row without text'],
    ['an empty text', 'a', '', {}, 'a row without text'],
    ['a title that is a number', 'a', 'text', { title: 1 }, 'a row whose title is not a string'],
    ['a document that is a number', 'a', 'text', { documentId: 1 }, 'a row whose documentId is not a string'],
    ['metadata that is a list', 'a', 'text', { metadata: [] }, 'metadata that is not an object'],
    ['metadata that is a text', 'a', 'text', { metadata: 'x' }, 'metadata that is not an object'],
  ])('with %s is rejected', (_name, id, text, fields, detail) => {
    expect(() => readPassage(id, text, fields)).toThrow(
      expect.objectContaining({
        code: 'retriever_bad_response',
        message: `The index sent an unexpected response: ${detail}`,
      }),
    )
  })
})
