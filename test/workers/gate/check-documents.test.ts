import { describe, expect, it } from 'vitest'
import { checkDocumentId, checkDocuments } from '../../../workers/gate/documents/check-documents.ts'

const check = (...documents: Record<string, unknown>[]) =>
  checkDocuments(
    documents.map((document) => ({ id: 'a', text: 'x', ...document })),
    'acme',
  )

describe('the id of a document', () => {
  const composed = 'caf\u00e9'
  const decomposed = 'cafe\u0301'

  it('is the same for composed and decomposed letters', () => {
    expect(check({ id: decomposed })[0]?.id).toBe(composed)
    expect(checkDocumentId(decomposed, 'id')).toBe(composed)
    expect(() => check({ id: composed }, { id: decomposed })).toThrow(
      expect.objectContaining({ code: 'document_duplicate' }),
    )
  })

  it.each(['', '.', '..', 'a\u0000', 'a\ud800', 'x'.repeat(513), 'é'.repeat(257), 7])('is rejected as %j', (id) => {
    expect(() => check({ id })).toThrow(expect.objectContaining({ code: 'document_id' }))
  })
})

describe('the metadata of a document', () => {
  it.each(['{"n":1e308,"s":"\u{1f600}","l":[null,true,-0.5,{"é":""}]}', '{}'])('is accepted as %s', (written) => {
    const metadata: unknown = JSON.parse(written)
    expect(check({ metadata })[0]?.metadata).toEqual(metadata)
  })

  it.each([
    '{"n":1e400}',
    '{"a":{"b":[-1e400]}}',
    String.raw`{"s":"\ud800"}`,
    String.raw`{"\udc00":1}`,
    String.raw`{"a":[{"b":"x\ud83d"}]}`,
    '[]',
    'null',
    '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":[]}}}}}}}}',
  ])('is rejected as %s', (written) => {
    expect(() => check({}, { id: 'b', metadata: JSON.parse(written) as unknown })).toThrow(
      expect.objectContaining({ code: 'document_field', param: 'documents[1].metadata' }),
    )
  })
})

describe('the source of a document', () => {
  it.each([
    'guide/start.md',
    '/guide',
    './a',
    '../b',
    '#part',
    '',
    'https://docs.example/a?b#c',
    'HTTP://docs.example',
    'a//b',
    'What is this?',
    'a b.md',
  ])('is accepted as %j', (source) => {
    expect(check({ source })[0]?.source).toBe(source)
  })

  it.each([
    '//evil.example/x',
    String.raw`\\\\evil.example`,
    String.raw`/\\evil.example`,
    ' //evil.example',
    'javascript:alert(1)',
    'https:evil.example',
    'https:///evil.example',
    'http://',
    'http://a b',
    'data:text/html,x',
    ' JavaScript:x',
    'file:///x',
  ])('is rejected as %j', (source) => {
    expect(() => check({ source })).toThrow(expect.objectContaining({ code: 'source_url' }))
  })
})
