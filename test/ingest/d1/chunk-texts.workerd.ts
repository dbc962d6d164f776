import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createD1ChunkTexts } from '../../../packages/ingest/src/d1/chunk-texts.ts'
import { createVectorizeChunkIndex, createVectorizeRetriever } from '../../../packages/vectorize/src/index.ts'
import type { Passage } from '../../../src/core/evidence/chunk.ts'
import { retrieverContract } from '../../contracts/retriever.ts'
import { hashedEmbedder } from '../../fixtures/hashed-embedder.ts'
import { fakeVectorize } from '../../fixtures/vectorize.ts'

const texts = createD1ChunkTexts({ db: env.DB })

retrieverContract('the Vectorize adapter with texts in D1', async () => {
  const embedder = hashedEmbedder()
  const index = fakeVectorize({ dimensions: embedder.dimension })
  return {
    retriever: createVectorizeRetriever({
      index,
      embedder,
      texts,
      metric: 'cosine',
      filledBy: 'gate',
      namespace: (_tenant, collection) => collection,
    }),
    index: createVectorizeChunkIndex({ index, embedder, texts, settlePollMs: 1 }),
  }
})

describe('chunk texts in D1', () => {
  const passage = (id: string, more: Partial<Passage> = {}): Passage => ({
    id,
    documentId: 'd',
    text: `Text ${id}`,
    ...more,
  })

  it('are returned as written, in the given order, from their own namespace', async () => {
    const rich = passage('a', { title: "O'Neil", metadata: { tags: ['x'], none: null, deep: { n: 1.5 } } })
    await texts.put('one', [rich, passage('b')])
    await texts.put('two', [passage('a', { text: 'theirs' })])
    expect(await texts.get('one', ['b', 'x', 'a', 'b'])).toEqual([passage('b'), null, rich, passage('b')])
  })

  it('are replaced and deleted only in their own namespace', async () => {
    await texts.put('three', [passage('a'), passage('b')])
    await texts.put('four', [passage('a')])
    await texts.put('three', [passage('a', { text: 'new' })])
    await texts.delete('three', ['b', 'unknown'])
    expect(await texts.get('three', ['a', 'b'])).toEqual([passage('a', { text: 'new' }), null])
    expect(await texts.get('four', ['a'])).toEqual([passage('a')])
  })

  it('may be more and longer than one bound value can hold', async () => {
    const long = Array.from({ length: 300 }, (_, at) => passage(`p${at}`, { text: 'é'.repeat(4000) }))
    await texts.put('five', long)
    const ids = long.map(({ id }) => id)
    expect(await texts.get('five', ids)).toEqual(long)
    await texts.delete('five', ids)
    expect((await texts.get('five', ids)).every((found) => found === null)).toBe(true)
  })

  it.each([
    ['D1_ERROR: Network connection lost', 'store_unavailable'],
    ['D1_ERROR: no such table: chunk_texts: SQLITE_ERROR', 'schema_outdated'],
  ])('need no query for an empty list, and report %s as %s', async (message, code) => {
    const failing = createD1ChunkTexts({
      // Only what is asked of it here.
      db: {
        prepare: () => ({ bind: () => ({}) }),
        batch: () => Promise.reject(new Error(message)),
      } as unknown as D1Database,
    })
    await expect(failing.put('six', [])).resolves.toBeUndefined()
    await expect(failing.get('six', ['a'])).rejects.toMatchObject({ code })
  })

  it.each(['{"text":', '"a"', '{"text":1}'])('that were changed to %s are rejected', async (stored) => {
    await texts.put('seven', [passage('a')])
    await env.DB.prepare(`UPDATE chunk_texts SET passage = ? WHERE namespace = 'seven'`).bind(stored).run()
    await expect(texts.get('seven', ['a'])).rejects.toMatchObject({ code: 'retriever_bad_response' })
  })
})
