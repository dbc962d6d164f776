import { describe, expect, it } from 'vitest'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { learnIfNeeded, type ScalePorts } from '../../packages/ingest/src/learn-if-needed.ts'
import type { LearnScaleOptions } from '../../packages/ingest/src/learn-scale.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { namespaceOf } from '../../src/core/lib/ids.ts'
import { type CollectionScale, scaledFor } from '../../src/core/scale/index.ts'
import { plainCollection } from '../../src/ports/collections.ts'
import type { Embedding } from '../../src/ports/retriever.ts'

const NAME = { tenant: 'acme', id: 'manual' }
const WORDS = 'keys gates answers tables rivers ladders engines windows gardens letters bridges numbers'.split(' ')

/** Twelve words in another order for each passage. */
const passageOf = (id: string): Passage => {
  const at = Number(id)
  const text = WORDS.map((_, word) => WORDS[(word * (1 + (at % 5)) + at) % WORDS.length]).join(' ')
  return { id, documentId: `d${at % 9}`, title: 'Manual', text: `${text}.` }
}

interface World {
  readonly scale?: CollectionScale | null
  readonly version?: number
  readonly model?: string
  readonly counts?: { readonly chunks: number; readonly changed: number }
  readonly gone?: readonly string[]
  /** Of the retriever. */
  readonly embedding?: Embedding
}

/** A collection of chunks that are numbered, and what is asked of it. */
function aWorld({
  scale = null,
  version = 7,
  model = 'm',
  counts = { chunks: 60, changed: 0 },
  gone = [],
  embedding,
}: World) {
  const calls: unknown[] = []
  let noted: CollectionScale | undefined
  const collection = { ...plainCollection(NAME), corpusVersion: version, embeddingModel: model, scale }
  const collections: Partial<ScalePorts['collections']> = {
    find: async (tenant, id) => (tenant === NAME.tenant && id === NAME.id ? collection : null),
    countChunks: async (...asked) => {
      calls.push(['countChunks', ...asked])
      return counts
    },
    sampleChunks: async (...asked) => {
      calls.push(['sampleChunks', ...asked])
      return Array.from({ length: Math.min(60, counts.chunks) }, (_, at) => String(at))
    },
    noteScale: async (tenant, id, learned) => {
      expect({ tenant, id }).toEqual(NAME)
      noted = learned
    },
  }
  const ports: ScalePorts = {
    collections: collections as ScalePorts['collections'],
    clock: { nowMs: () => 9000 },
    index: {
      fetch: async (namespace, ids) => {
        expect(namespace).toBe(namespaceOf('acme', 'manual'))
        return ids.map((id) => (gone.includes(id) ? null : passageOf(id)))
      },
    },
    retriever: {
      ...(embedding && { embedding }),
      retrieve: async ({ question, topK }) => {
        const entries = Array.from({ length: 60 }, (_, at) => passageOf(String(at)))
          .map((passage) => ({
            passage,
            score: question.split(' ').filter((word) => passage.text.includes(word)).length,
          }))
          .sort((a, b) => b.score - a.score)
        return [{ kind: 'bm25', entries: entries.slice(0, topK) }]
      },
    },
  }
  const learn = (options?: Partial<LearnScaleOptions>, policy = balanced(), name = NAME) =>
    learnIfNeeded(ports, name, () => policy, { windows: 40, ...options })
  return { learn, calls, noted: () => noted }
}

const learned = (changes: Partial<CollectionScale> = {}): CollectionScale => ({
  kind: 'none',
  reason: 'too-few-windows',
  origin: 'documents',
  confidence: scaledFor(balanced()),
  embeddingModel: 'm',
  corpusVersion: 7,
  chunkCount: 60,
  windows: 0,
  learnedAtMs: 5000,
  ...(changes as object),
})

describe('learnIfNeeded', () => {
  it('learns and stores the scale of a collection without one, from chunks that the index still has', async () => {
    const world = aWorld({ counts: { chunks: 800, changed: 800 }, gone: ['3'] })
    const scale = await world.learn()
    expect(scale).toMatchObject({
      kind: 'scale',
      confidence: scaledFor(balanced()),
      embeddingModel: 'm',
      corpusVersion: 7,
      chunkCount: 800,
      windows: 40,
      learnedAtMs: 9000,
    })
    expect(world.noted()).toEqual(scale)
    expect(world.calls).toEqual([
      ['countChunks', 'acme', 'manual', 0],
      ['sampleChunks', 'acme', 'manual', 200],
    ])
  })

  it('stores that there are too few passages', async () => {
    const world = aWorld({ counts: { chunks: 19, changed: 19 } })
    const none = learned({ chunkCount: 19, learnedAtMs: 9000 })
    expect(await world.learn({ isOver: () => false })).toEqual(none)
    expect(world.noted()).toEqual(none)
  })

  it('stores nothing if time ran out before there were enough windows, but what was learned until then', async () => {
    const world = aWorld({})
    expect(await world.learn({ isOver: () => true })).toBeUndefined()
    expect(world.noted()).toBeUndefined()
    let left = 30
    expect(await world.learn({ isOver: () => --left < 0 })).toMatchObject({ kind: 'scale', windows: 30 })
    expect(world.noted()).toMatchObject({ kind: 'scale', windows: 30 })
  })

  it('learns nothing for a missing collection, or a policy that reads no scale', async () => {
    const world = aWorld({})
    expect(await world.learn({}, balanced(), { ...NAME, id: 'another' })).toBeUndefined()
    expect(await world.learn({}, { ...balanced(), reads: [] })).toBeUndefined()
    expect([world.calls, world.noted()]).toEqual([[], undefined])
  })

  it('reads no documents of a collection that has not changed since it was learned or counted', async () => {
    for (const scale of [learned(), learned({ corpusVersion: 2, countedVersion: 7 })]) {
      const world = aWorld({ scale })
      expect(await world.learn()).toBeUndefined()
      expect([world.calls, world.noted()]).toEqual([[], undefined])
    }
    const world = aWorld({ scale: learned({ countedVersion: 6 }) })
    expect(await world.learn()).toBeUndefined()
    expect(world.calls).toEqual([['countChunks', 'acme', 'manual', 5000]])
  })

  it.each([
    { what: 'added', chunks: 65, changed: 5 },
    { what: 'changed', chunks: 60, changed: 5 },
    { what: 'removed', chunks: 55, changed: 0 },
  ])('keeps the scale when fewer than a tenth were $what, and notes the version', async ({ chunks, changed }) => {
    const world = aWorld({ scale: learned(), version: 9, counts: { chunks, changed } })
    expect(await world.learn()).toBeUndefined()
    expect(world.noted()).toEqual(learned({ countedVersion: 9 }))
  })

  it.each([
    { what: 'added', chunks: 66, changed: 6 },
    { what: 'changed', chunks: 60, changed: 6 },
    { what: 'removed', chunks: 54, changed: 0 },
    { what: 'removed while others were added', chunks: 56, changed: 2 },
  ])('learns again when a tenth was $what', async ({ chunks, changed }) => {
    const world = aWorld({ scale: learned(), version: 9, counts: { chunks, changed } })
    expect(await world.learn()).toMatchObject({ kind: 'scale', corpusVersion: 9, chunkCount: chunks })
  })

  it('learns again when the first document came into an empty collection', async () => {
    const scale = learned({ chunkCount: 0 })
    const world = aWorld({ scale, version: 9, counts: { chunks: 1, changed: 1 } })
    expect(await world.learn()).toMatchObject({ kind: 'none', chunkCount: 1 })
    const empty = aWorld({ scale, version: 9, counts: { chunks: 0, changed: 0 } })
    expect(await empty.learn()).toBeUndefined()
    expect(empty.noted()).toEqual({ ...scale, countedVersion: 9 })
  })

  it('keeps what was learned for the embedding that only the retriever names', async () => {
    const embedding = { model: 'of the retriever', dimension: 8 }
    const first = aWorld({ model: '', embedding })
    const scale = (await first.learn())!
    expect(scale).toMatchObject({ kind: 'scale', embeddingModel: 'of the retriever' })
    expect(await aWorld({ model: '', embedding, scale }).learn()).toBeUndefined()
    expect(await aWorld({ model: '', scale }).learn()).toMatchObject({ embeddingModel: '' })
  })

  it('learns again for another confidence or another embedding, however little changed', async () => {
    for (const scale of [learned({ confidence: '[]' }), learned({ embeddingModel: 'former' })]) {
      expect(await aWorld({ scale }).learn()).toMatchObject({ kind: 'scale', confidence: scaledFor(balanced()) })
    }
  })
})
