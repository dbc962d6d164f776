import { describe, expect, test } from 'vitest'
import { filteredMember, type PassageFields, passageOfRow } from '../../../packages/upstream/src/rows/passage-fields.ts'

const read = (metadata: Record<string, unknown>, fields: PassageFields = {}, data?: string) =>
  passageOfRow({ id: 'r1', metadata, ...(data === undefined ? {} : { data }) }, fields)

describe('the text of a row', () => {
  test.each(['text', 'content', 'chunk', 'page_content', 'pageContent', '_pageContentLC', 'body', 'passage'])(
    'is read from metadata.%s, which is then not passage metadata',
    (name) => {
      expect(read({ [name]: 'The words.', page: 3 })).toEqual({
        id: 'r1',
        documentId: 'r1',
        text: 'The words.',
        metadata: { page: 3 },
      })
    },
  )

  test('is the data of the row first', () => {
    expect(read({ text: 'other' }, {}, 'The words.')).toEqual({
      id: 'r1',
      documentId: 'r1',
      text: 'The words.',
      metadata: { text: 'other' },
    })
  })

  test('is searched past blank and other values', () => {
    expect(read({ text: ' \n', content: 5, body: 'The words.' }, {}, '')?.text).toBe('The words.')
  })

  test.each<[string, PassageFields['text']]>([
    ['a member', 'answer'],
    ['a member written with its full path', 'metadata.answer'],
    ['a member of a member', 'page.answer'],
    ['a member with a dot in its name', 'dotted.answer'],
    ['a function', ({ metadata }) => String(metadata['answer'])],
  ])('is read from %s given in `fields`, and from nowhere else', (_name, text) => {
    const metadata = { answer: 'A', page: { answer: 'A' }, 'dotted.answer': 'A', text: 'other' }
    expect(read(metadata, { text: text! }, 'other')?.text).toBe('A')
    expect(read({ text: 'other' }, { text: 'answer' }, 'other')).toBeUndefined()
  })

  test('is all there is to a row without other metadata', () => {
    expect(read({ text: 'W.' })).toStrictEqual({ id: 'r1', documentId: 'r1', text: 'W.' })
  })

  test('is missing in a row without any', () => {
    expect(read({ page: 3 })).toBeUndefined()
    expect(read({}, { text: () => undefined }, 'words')).toBeUndefined()
    expect(read(Object.create({ text: 'of a prototype' }) as Record<string, unknown>)).toBeUndefined()
  })
})

test.each([undefined, 'The warranty lasts two years.'])(
  'a LangChain row is read without `fields`, with the data %s',
  (data) => {
    // As UpstashVectorStore of @langchain/community 1.1.29 wrote one into the vector index: with vectors, and with texts to be embedded.
    const metadata = { source: 'docs/warranty.md', loc: { lines: { from: 1, to: 4 } } }
    expect(read({ _pageContentLC: 'The warranty lasts two years.', ...metadata }, {}, data)).toMatchObject({
      documentId: 'docs/warranty.md',
      text: 'The warranty lasts two years.',
      source: 'docs/warranty.md',
      metadata,
    })
  },
)

describe('a LlamaIndex row', () => {
  // As UpstashVectorStore of @llamaindex/upstash 0.0.37 writes one.
  const node = {
    id_: 'n1',
    relationships: {},
    text: 'The warranty lasts two years.',
    metadataSeparator: '\n',
    type: 'TEXT',
  }
  const written = (content: unknown, document = 'warranty.md') => ({
    file_path: 'docs/warranty.md',
    page: 3,
    _node_content: typeof content === 'string' ? content : JSON.stringify(content),
    _node_type: 'TextNode',
    document_id: document,
    doc_id: document,
    ref_doc_id: document,
  })

  test('is read without `fields`', () => {
    expect(read(written(node))).toEqual({
      id: 'r1',
      documentId: 'warranty.md',
      text: 'The warranty lasts two years.',
      source: 'docs/warranty.md',
      metadata: {
        file_path: 'docs/warranty.md',
        page: 3,
        document_id: 'warranty.md',
        doc_id: 'warranty.md',
        ref_doc_id: 'warranty.md',
      },
    })
  })

  test.each([
    ['with vectors', undefined],
    ['with texts to be embedded', 'The warranty lasts two years.'],
  ])('of its successor is read without `fields`, %s', (_, data) => {
    // As UpstashVectorStore of @vectorstores/upstash 0.1.8 wrote one; the packages of LlamaIndex for TypeScript are deprecated.
    const content = String.raw`{"_hash":"","id_":"n1","excludedEmbedMetadataKeys":[],"excludedLlmMetadataKeys":[],"relationships":{},"text":"The warranty lasts two years.","textTemplate":"","metadataSeparator":"\n","type":"TEXT","hash":"pOeZxpmmbNFz8Va9p0g64OKKHlDz5oB+WVbljykTAAg="}`
    const found = read(written(content, 'None'), {}, data)
    expect(found).toMatchObject({
      documentId: 'docs/warranty.md',
      text: 'The warranty lasts two years.',
      source: 'docs/warranty.md',
      metadata: { file_path: 'docs/warranty.md', page: 3 },
    })
    expect(JSON.stringify(found)).not.toMatch(/None|_node/)
  })

  test('has no document named None, and uses the data of the row before its text', () => {
    expect(read(written(node, 'None'), {}, 'The data.')).toMatchObject({
      text: 'The data.',
      documentId: 'docs/warranty.md',
    })
  })

  test('with an invalid node is read like any other row', () => {
    for (const content of ['no JSON', '5', '{}', JSON.stringify({ text: 7 })])
      expect(read(written(content))).toBeUndefined()
    for (const content of ['no JSON', 5, null])
      expect(read({ text: 'W.', _node_content: content })?.metadata).toEqual({ _node_content: content })
    expect(Object.keys(read({ page: 3, _node_content: '{"text":7}' }, {}, 'W.')?.metadata ?? {})).toEqual(['page'])
  })

  test('keeps members that are not its ids, also with the value None', () => {
    const others = { doc_identity: 'None', my_doc_id: 'None', page: 'None' }
    const metadata = { _node_content: JSON.stringify(node), ...others, ref_doc_id: 'None' }
    expect(read(metadata)?.metadata).toEqual(others)
  })
})

describe('the other parts of a row', () => {
  test('are found by their usual names', () => {
    const metadata = {
      content: 'Words.',
      document_title: 'T',
      headings: ['A', 'B'],
      url: 'https://a.test/p#s-2',
      version: 2,
    }
    expect(read(metadata)).toMatchObject({
      title: 'T',
      section: 'A › B',
      source: 'https://a.test/p#s-2',
      documentId: 'https://a.test/p',
      version: '2',
    })
  })

  test('are read from members and functions in `fields`', () => {
    const fields: PassageFields = {
      text: 'c',
      title: 'page.name',
      section: ({ id }) => `of ${id}`,
      source: 'where',
      documentId: 'doc',
      version: 'v',
    }
    const metadata = { c: 'Words.', page: { name: 'N' }, where: 'w', doc: 7, v: 'x', title: 'other', source: 'other' }
    expect(read(metadata, fields)).toMatchObject({
      title: 'N',
      section: 'of r1',
      source: 'w',
      documentId: '7',
      version: 'x',
    })
  })

  test('are omitted without an error when they have the wrong type', () => {
    const passage = read({ text: 'Words.', title: { en: 'T' }, section: [], source: null, url: '', version: true })
    expect(Object.keys(passage!).sort()).toEqual(['documentId', 'id', 'metadata', 'text'])
    for (const section of [['A', 5], [5], [''], NaN, Infinity, ' ', false])
      expect(read({ text: 'Words.', section })).not.toHaveProperty('section')
    expect(read({ text: 'Words.', section: ['A'], version: 0 })).toMatchObject({ section: 'A', version: '0' })
  })

  test('give the document id only when it is not configured: a source that begins with # is not one', () => {
    expect(read({ text: 'W.', source: '#top' })?.documentId).toBe('#top')
    expect(read({ text: 'W.', source: 's' }, { documentId: 'doc' })?.documentId).toBe('r1')
  })
})

test('a row without id is rejected', () => {
  expect(() => passageOfRow({ id: '', data: 'W.', metadata: {} }, {})).toThrow(
    expect.objectContaining({ code: 'retriever_bad_response' }),
  )
})

test.each<[string, PassageFields, string | undefined]>([
  ['metadata.team', {}, 'team'],
  ['metadata.access.level', { title: 'name' }, 'access.level'],
  ['title', {}, 'title'],
  ['title', { title: 'name' }, 'name'],
  ['documentId', { documentId: 'metadata.doc.id' }, 'doc.id'],
  ['source', { source: () => 'x' }, undefined],
  ['source', { source: 'data' }, undefined],
])('the field %s with %j is filtered by %s', (field, fields, member) => {
  expect(filteredMember(field, fields)).toBe(member)
})
