import { expect, test } from 'vitest'
import { createWordIndex, createWordRetriever } from '../../packages/word-index/src/index.ts'
import type { PassageFilter } from '../../src/core/evidence/passage-filter.ts'
import { english } from '../../src/language/english/english.ts'
import { d1InMemory } from '../fixtures/d1-in-memory.ts'

test('a term of almost every passage is searched only when rarer terms or the filter leave fewer than topK', async () => {
  const options = { db: d1InMemory(), language: english }
  const index = createWordIndex(options)
  const common = Array.from({ length: 16_500 }, (_, at) => ({
    id: `c${at}`,
    documentId: at % 2 === 0 ? 'even' : 'odd',
    text: `harbour ${at}`,
  }))
  await index.upsert('n', [...common, { id: 'rare', documentId: 'even', text: 'quay' }])
  const retriever = createWordRetriever(options)
  const ask = async (filter?: PassageFilter) => {
    const signal = new AbortController().signal
    const asked = { tenant: 't', collection: 'c', namespace: 'n', question: 'harbour quay', topK: 3, signal }
    const [ranking] = await retriever.retrieve({ ...asked, ...(filter === undefined ? {} : { filter }) })
    return ranking!.entries.map(({ passage }) => passage)
  }
  expect((await ask()).map(({ id }) => id)).toEqual(['rare', expect.any(String), expect.any(String)])
  expect((await ask({ documentId: 'odd' })).map(({ documentId }) => documentId)).toEqual(['odd', 'odd', 'odd'])
  expect(await ask({ documentId: 'none' })).toEqual([])
})
