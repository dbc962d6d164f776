/** Ingestion that is cut off anywhere, over the real database and the real index. */
import { env } from 'cloudflare:workers'
import { Index } from '@upstash/vector'
import { describe, expect, it } from 'vitest'
import { createD1Collections } from '../../packages/ingest/src/d1/collections.ts'
import { createUpstashChunkIndex, createUpstashTransport } from '../../packages/upstash/src/index.ts'
import { namespaceOf } from '../../src/core/lib/ids.ts'
import { RagGateError } from '../../src/errors.ts'
import { encodeLexicon } from '../../src/core/text/lexicon.ts'
import type { IncomingDocument } from '../../packages/ingest/src/incoming-document.ts'
import { ingestDocuments, type IngestPorts } from '../../packages/ingest/src/ingest-documents.ts'
import { removeDocuments } from '../../packages/ingest/src/remove-documents.ts'
import { sweepIndex } from '../../packages/ingest/src/sweep-index.ts'
import { buildLexicon } from '../fixtures/english.ts'
import { english } from '../../src/language/english/english.ts'

const INDEX = {
  url: 'https://vector-index.invalid',
  fetch: (url: string, init?: RequestInit) => env.VECTOR_INDEX.getByName('crashes').fetch(url, init),
}
const clock = { atMs: Date.UTC(2026, 0, 1), nowMs: () => clock.atMs }

function realPorts(): IngestPorts {
  return {
    index: createUpstashChunkIndex(INDEX),
    collections: createD1Collections({ db: env.DB, clock }),
    splitter: {
      version: 'lines/1',
      split: async (text) => ({ parts: text.split('\n').map((line) => ({ text: line })), hiddenText: false }),
    },
    clock,
    language: english,
  }
}

/**
 * Ports of an isolate that dies after so many calls: the last is carried out and not answered, and every later one fails.
 * To die before a call is to die after the one before it.
 */
function dyingPorts(diesAfter: number) {
  const count = { calls: 0 }
  const mortal = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver)
        if (typeof member !== 'function') return member
        return async (...given: unknown[]) => {
          count.calls++
          if (count.calls > diesAfter) throw new Error('cut off')
          const result: unknown = await Reflect.apply(member, target, given)
          if (count.calls === diesAfter) throw new Error('cut off')
          return result
        }
      },
    })
  const ports = realPorts()
  return { count, ports: { ...ports, index: mortal(ports.index), collections: mortal(ports.collections) } }
}

const doc = (id: string, ...lines: string[]): IncomingDocument => ({ id, text: lines.join('\n'), format: 'text' })
const FIRST = [doc('a', 'Alpha one', 'Alpha two'), doc('b', 'Beta one', 'Beta two', 'Beta three'), doc('c', 'Gamma')]
const EDITED = [doc('a', 'Alpha one', 'Alpha new'), doc('b', 'Beta three'), doc('d', 'Delta one', 'Delta two')]

/** Ingests, edits, removes and ingests again: what an owner of documents wants to have done. */
async function story(ports: IngestPorts, tenant: string): Promise<void> {
  const steps = { chunksPerStep: 2 }
  await ingestDocuments(ports, tenant, 'manual', FIRST, steps)
  await ingestDocuments(ports, tenant, 'manual', EDITED, steps)
  const [known] = await ports.collections.documents(tenant, 'manual', ['c'])
  if (known !== undefined) await removeDocuments(ports, tenant, 'manual', ['c'])
  await ingestDocuments(ports, tenant, 'manual', [doc('b', 'Beta three', 'Beta one')], steps)
}

async function stateOf(tenant: string) {
  const collections = createD1Collections({ db: env.DB, clock })
  const collection = await collections.find(tenant, 'manual')
  const { documents } = await collections.page(tenant, 'manual', '', 100)
  const transport = createUpstashTransport({ ...INDEX, timeoutMs: 10_000, maxResponseBytes: 1e6 })
  const namespace = namespaceOf(tenant, 'manual')
  const { vectors } = await new Index(transport()).range({ cursor: 0, limit: 100, includeData: true }, { namespace })
  return {
    published: documents.flatMap(({ chunkIds }) => [...chunkIds]).sort(),
    indexed: vectors.map(({ id }) => id).sort(),
    texts: vectors.map(({ data }) => data ?? '').sort(),
    unpublished: [...(collection?.unpublishedChunkIds ?? [])].sort(),
    lexicon: collection?.lexiconId ? encodeLexicon(await collections.lexicon(collection.lexiconId)) : '',
  }
}

const TEXTS = ['Alpha new', 'Alpha one', 'Beta one', 'Beta three', 'Delta one', 'Delta two']

describe('writing a corpus', () => {
  it('leaves the same vectors and lexicon wherever it is interrupted and repeated', { timeout: 300_000 }, async () => {
    const whole = dyingPorts(Infinity)
    await story(whole.ports, 'whole')
    const expected = await stateOf('whole')
    expect(expected.texts).toEqual(TEXTS)
    expect(expected.lexicon).toBe(encodeLexicon(buildLexicon(TEXTS)))
    expect(expected.indexed).toEqual(expected.published)
    expect(expected.unpublished).toEqual([])

    const crashes = Array.from({ length: whole.count.calls + 1 }, (_, at) => at)
    expect(crashes.length).toBeGreaterThanOrEqual(50)
    // Each of them takes a quarter of a second.
    for (const at of crashes.filter((call) => env.TEST_DEEP || call % 25 === 0)) {
      const tenant = `cut-${at}`
      await story(dyingPorts(at).ports, tenant).catch((thrown: Error) => expect(thrown.message).toBe('cut off'))
      const broken = await stateOf(tenant)
      // What readers may see is whole, and nothing stands in the index that is not on record.
      if (broken.lexicon !== '') {
        expect(broken.indexed, tenant).toEqual(expect.arrayContaining(broken.published))
        const recorded = [...broken.published, ...broken.unpublished]
        expect(recorded, tenant).toEqual(expect.arrayContaining(broken.indexed))
        expect(
          broken.unpublished.filter((id) => broken.published.includes(id)),
          tenant,
        ).toEqual([])
      }
      clock.atMs += 60_000
      await story(realPorts(), tenant)
      expect(await stateOf(tenant), tenant).toEqual(expected)
    }
  })

  it('that is not repeated is cleaned up by a sweep', async () => {
    const { ports } = dyingPorts(6)
    await expect(ingestDocuments(ports, 'orphan', 'manual', FIRST)).rejects.toThrow('cut off')
    expect((await stateOf('orphan')).indexed).toHaveLength(6)
    const early = await sweepIndex(realPorts(), 100)
    expect(early.swept).not.toContainEqual({ tenant: 'orphan', id: 'manual' })
    clock.atMs += 60_000
    expect(await sweepIndex(realPorts(), 100)).toEqual({ swept: [{ tenant: 'orphan', id: 'manual' }], failed: [] })
    expect((await stateOf('orphan')).indexed).toEqual([])
    expect(await sweepIndex(realPorts(), 100)).toEqual({ swept: [], failed: [] })
  })

  /** Ports whose index removes nothing of one collection. */
  function failingPorts(tenant: string, thrown: Error): IngestPorts {
    const ports = realPorts()
    const remove: typeof ports.index.delete = async (namespace, ids) => {
      if (namespace === namespaceOf(tenant, 'manual')) throw thrown
      await ports.index.delete(namespace, ids)
    }
    return { ...ports, index: { ...ports.index, delete: remove } }
  }

  /** Two tenants with a collection whose writer died. */
  async function cutOff(name: string): Promise<{ readonly tenant: string; readonly id: string }[]> {
    const names = [1, 2].map((number) => ({ tenant: `${name}-${number}`, id: 'manual' }))
    for (const { tenant, id } of names) {
      await expect(ingestDocuments(dyingPorts(6).ports, tenant, id, FIRST)).rejects.toThrow('cut off')
    }
    clock.atMs += 60_000
    return names
  }

  it('is swept although another collection fails, which is reported', async () => {
    const [first, second] = await cutOff('sweep')
    const mistaken = failingPorts('sweep-1', new TypeError('a mistake'))
    await expect(sweepIndex(mistaken, 100)).rejects.toThrow('a mistake')
    const away = failingPorts('sweep-1', new RagGateError('retriever_unavailable', 'away'))
    expect(await sweepIndex(away, 100)).toEqual({ swept: [second], failed: [first] })
    expect(await sweepIndex(realPorts(), 100)).toEqual({ swept: [first], failed: [] })
  })

  it('is swept although as many collections as a sweep takes fail each time', async () => {
    const [first, second] = await cutOff('starved')
    const away = failingPorts('starved-1', new RagGateError('retriever_unavailable', 'away'))
    const results = [await sweepIndex(away, 1), await sweepIndex(away, 1), await sweepIndex(realPorts(), 1)]
    expect(results).toEqual([
      { swept: [], failed: [first] },
      { swept: [second], failed: [] },
      { swept: [first], failed: [] },
    ])
  })

  /** Ports whose write into the index takes longer than a turn; meanwhile something else happens. */
  function slowPorts(meanwhile: () => Promise<unknown>): IngestPorts {
    const ports = realPorts()
    return {
      ...ports,
      index: {
        ...ports.index,
        upsert: async (namespace, passages) => {
          clock.atMs += 60_000
          await meanwhile()
          await ports.index.upsert(namespace, passages)
        },
      },
    }
  }

  it('a failed write that reaches the index after the next writer stays hidden until it is removed', async () => {
    const ports = realPorts()
    let arrive = async (): Promise<void> => undefined
    const upsert: typeof ports.index.upsert = async (namespace, passages) => {
      arrive = async () => ports.index.upsert(namespace, passages)
      throw new Error('cut off')
    }
    await ingestDocuments(realPorts(), 'delayed', 'manual', [doc('a', 'Alpha one')])
    const failing = { ...ports, index: { ...ports.index, upsert } }
    await expect(ingestDocuments(failing, 'delayed', 'manual', [doc('a', 'Alpha two')])).rejects.toThrow('cut off')
    clock.atMs += 3000
    await ingestDocuments(realPorts(), 'delayed', 'manual', [doc('a', 'Alpha three')])
    await arrive()
    const late = await stateOf('delayed')
    expect([late.texts, late.unpublished]).toEqual([['Alpha three', 'Alpha two'], [expect.any(String)]])
    clock.atMs += 60_000
    await sweepIndex(realPorts(), 100)
    expect(await stateOf('delayed')).toMatchObject({ texts: ['Alpha three'], unpublished: [] })
  })

  it('takes the embedding of the index once the last document of a former one is removed', async () => {
    const ports = realPorts()
    const other = { embeddingModel: 'another', dimension: 2 }
    const changed = { ...ports, index: { ...ports.index, describe: async () => other } }
    await ingestDocuments(ports, 're-embedded', 'manual', [doc('a', 'Alpha'), doc('b', 'Beta')])
    await ingestDocuments(changed, 're-embedded', 'manual', [doc('a', 'Alpha')])
    expect(await ports.collections.find('re-embedded', 'manual')).not.toMatchObject(other)
    await removeDocuments(changed, 're-embedded', 'manual', ['b'])
    expect(await ports.collections.find('re-embedded', 'manual')).toMatchObject(other)
  })

  it('a writer that lost its lock leaves nothing unrecorded in the index', async () => {
    const sweep = () => sweepIndex(realPorts(), 100)
    const slow = ingestDocuments(slowPorts(sweep), 'late', 'manual', FIRST)
    await expect(slow).rejects.toMatchObject({ code: 'collection_conflict' })
    expect((await stateOf('late')).indexed).toHaveLength(6)
    await sweep()
    expect((await stateOf('late')).indexed).toEqual([])
  })

  it('a writer that lost its lock hides nothing that another published meanwhile', async () => {
    const [a, b] = FIRST
    const other = () => ingestDocuments(realPorts(), 'overtaken', 'manual', [a!])
    const slow = ingestDocuments(slowPorts(other), 'overtaken', 'manual', [a!, b!])
    await expect(slow).rejects.toMatchObject({ code: 'collection_conflict' })
    const state = await stateOf('overtaken')
    expect(state.published).toHaveLength(2)
    expect(state.unpublished).toHaveLength(3)
    expect(state.indexed).toEqual([...state.published, ...state.unpublished].sort())
  })

  it('a writer that lost its lock after publishing removes nothing that another published again', async () => {
    await ingestDocuments(realPorts(), 'restored', 'manual', [doc('a', 'Alpha one', 'Alpha two')])
    const ports = realPorts()
    const publish: typeof ports.collections.publish = async (change) => {
      const published = await ports.collections.publish(change)
      clock.atMs += 60_000
      await ingestDocuments(realPorts(), 'restored', 'manual', [doc('a', 'Alpha one', 'Alpha two')])
      return published
    }
    const slow = { ...ports, collections: { ...ports.collections, publish } }
    await ingestDocuments(slow, 'restored', 'manual', [doc('a', 'Alpha one')])
    const { published, indexed } = await stateOf('restored')
    expect(published).toHaveLength(2)
    expect(indexed).toEqual(published)
  })

  it('passages that are written but not published are no evidence in the same isolate', async () => {
    const ports = realPorts()
    await ingestDocuments(ports, 'same', 'manual', [doc('a', 'Alpha one')])
    await ports.collections.find('same', 'manual')
    const upsert: typeof ports.index.upsert = async (namespace, passages) => {
      const { unpublishedChunkIds } = (await ports.collections.find('same', 'manual'))!
      expect(unpublishedChunkIds).toEqual(passages.map(({ id }) => id))
      await ports.index.upsert(namespace, passages)
    }
    await ingestDocuments({ ...ports, index: { ...ports.index, upsert } }, 'same', 'manual', [doc('b', 'Beta one')])
    expect((await ports.collections.find('same', 'manual'))?.unpublishedChunkIds).toEqual([])
  })
})
