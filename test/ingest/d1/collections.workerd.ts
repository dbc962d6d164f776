import { env } from 'cloudflare:workers'
import { eq, like } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { describe, expect, it, vi } from 'vitest'
import { collections as collectionRows, documents, lexicons } from '../../../d1/schema.ts'
import { createD1Collections } from '../../../packages/ingest/src/d1/collections.ts'
import { lexiconIdPrefix } from '../../../packages/ingest/src/d1/lexicon-parts.ts'
import { EMPTY_LEXICON, encodeLexicon } from '../../../src/core/text/lexicon.ts'
import type { Lexicon } from '../../../src/core/text/lexicon.ts'
import type {
  CollectionWriter,
  CorpusChange,
  DocumentRecord,
  Writer,
} from '../../../packages/ingest/src/collection-writer.ts'
import type { CollectionScale } from '../../../src/core/scale/index.ts'
import type { Collection } from '../../../src/ports/collections.ts'
import { buildLexicon } from '../../fixtures/english.ts'

const database = drizzle(env.DB)
const LEXICON = buildLexicon(['turn the key to the left', 'pull the handle'])

function makeClock(): { nowMs: () => number; advance: (ms: number) => void } {
  let nowMs = Date.UTC(2026, 0, 1)
  return { nowMs: () => nowMs, advance: (ms) => void (nowMs += ms) }
}

function aChange(tenant: string, fromVersion: number, given: Partial<CorpusChange> = {}): CorpusChange {
  return {
    tenant,
    id: 'manual',
    writerId: 'writer',
    fromVersion,
    lexicon: LEXICON,
    embeddingModel: 'hashed-1',
    dimension: 256,
    documents: [{ id: 'doc-1', contentHash: 'hash-1', chunkIds: ['c1', 'c2'] }],
    removedDocumentIds: [],
    removedChunkIds: [],
    atMs: Date.UTC(2026, 0, 1),
    ...given,
  }
}

/** What is learned of a collection of few passages. */
const NO_SCALE: CollectionScale = {
  origin: 'documents',
  kind: 'none',
  reason: 'too-few-windows',
  windows: 0,
  chunkCount: 2,
  corpusVersion: 1,
  confidence: 'balanced',
  embeddingModel: 'hashed-1',
  learnedAtMs: Date.UTC(2026, 0, 1),
}

function aWriter(id = 'writer', atMs = Date.UTC(2026, 0, 1)): Writer {
  return { id, atMs, untilMs: atMs + 60_000 }
}

/** Publishes in a turn of its own. */
async function publish(collections: CollectionWriter, change: CorpusChange): Promise<Collection> {
  await collections.open(change.tenant, change.id, aWriter(change.writerId, change.atMs))
  return collections.publish(change)
}

/** Everything that the database holds of a tenant's collection. */
async function stateOf(tenant: string): Promise<unknown> {
  return {
    collections: await database.select().from(collectionRows).where(eq(collectionRows.tenant, tenant)),
    documents: await database.select().from(documents).where(eq(documents.tenant, tenant)),
    lexicons: await database
      .select()
      .from(lexicons)
      .where(like(lexicons.id, `${lexiconIdPrefix(tenant, 'manual')}%`)),
  }
}

async function lexiconIdsOf(tenant: string): Promise<string[]> {
  const rows = await database
    .selectDistinct({ id: lexicons.id })
    .from(lexicons)
    .where(like(lexicons.id, `${lexiconIdPrefix(tenant, 'manual')}%`))
  return rows.map(({ id }) => id)
}

describe('publish', () => {
  it('creates a collection at version 1 and raises it by one each time', async () => {
    const collections = createD1Collections({ db: env.DB })
    expect(await collections.find('published', 'manual')).toBeNull()
    const first = await publish(collections, aChange('published', 0))
    expect(first).toEqual({
      tenant: 'published',
      id: 'manual',
      corpusVersion: 1,
      lexiconId: expect.stringMatching(/^n[a-z2-7]{26}-[0-9a-f]{64}$/),
      embeddingModel: 'hashed-1',
      dimension: 256,
      policyId: null,
      pushedPolicy: null,
      scale: null,
      unpublishedChunkIds: [],
    })
    const second = await publish(collections, aChange('published', 1, { dimension: 512 }))
    expect(second).toEqual({ ...first, corpusVersion: 2, dimension: 512 })
    expect(await collections.find('published', 'manual')).toEqual(second)
    expect(await collections.list('published')).toEqual([second])
    expect(await collections.find('another', 'manual')).toBeNull()
    expect(await collections.find('published', 'another')).toBeNull()
  })

  it('changes the embedding model once every document has the new one', async () => {
    const collections = createD1Collections({ db: env.DB })
    const aDocument = (id: string): DocumentRecord => ({ id, contentHash: `hash of ${id}`, chunkIds: [] })
    const other = { embeddingModel: 'hashed-2', dimension: 512 }
    const embedding = ({ embeddingModel, dimension }: Collection) => ({ embeddingModel, dimension })
    const former = { embeddingModel: 'hashed-1', dimension: 256 }

    await publish(collections, aChange('moving', 0, { documents: ['a', 'b', 'c'].map(aDocument) }))
    const first = await publish(collections, aChange('moving', 1, { ...other, documents: [aDocument('a')] }))
    expect(embedding(first)).toEqual(former)
    const second = await publish(collections, aChange('moving', 2, { ...other, documents: [aDocument('b')] }))
    expect(embedding(second)).toEqual(former)
    const last = { ...other, documents: [], removedDocumentIds: ['c'] }
    expect(embedding(await publish(collections, aChange('moving', 3, last)))).toEqual(other)
    // A dimension of its own is another embedding too.
    const shorter = { ...other, dimension: 256, documents: [aDocument('a')] }
    expect(embedding(await publish(collections, aChange('moving', 4, shorter)))).toEqual(other)
  })

  it('keeps the policy chosen for the collection', async () => {
    await database.insert(collectionRows).values({
      tenant: 'chosen',
      id: 'manual',
      corpusVersion: 0,
      embeddingModel: '',
      dimension: 0,
      policyId: 'two-tier@1',
      updatedAtMs: 0,
    })
    const published = await publish(createD1Collections({ db: env.DB }), aChange('chosen', 0))
    expect(published).toMatchObject({ corpusVersion: 1, policyId: 'two-tier@1', embeddingModel: 'hashed-1' })
  })

  it.each([0, 1, 3, -1])('changes nothing when it starts from version %i and the collection is at 2', async (from) => {
    const tenant = `conflict${from}`
    const collections = createD1Collections({ db: env.DB })
    await publish(collections, aChange(tenant, 0))
    await publish(collections, aChange(tenant, 1))
    const change = aChange(tenant, from, {
      lexicon: buildLexicon(['something else']),
      documents: [
        { id: 'doc-1', contentHash: 'other', chunkIds: [] },
        { id: 'doc-2', contentHash: 'new', chunkIds: ['c9'] },
      ],
      embeddingModel: 'other',
      atMs: Date.UTC(2027, 0, 1),
    })
    await collections.open(tenant, 'manual', aWriter(change.writerId, change.atMs))
    const before = await stateOf(tenant)
    await expect(collections.publish(change)).rejects.toMatchObject({ code: 'collection_conflict' })
    expect(await stateOf(tenant)).toEqual(before)
    expect(await collections.find(tenant, 'manual')).toMatchObject({ corpusVersion: 2, embeddingModel: 'hashed-1' })
  })

  it('changes nothing when the collection no longer exists', async () => {
    const collections = createD1Collections({ db: env.DB })
    await expect(collections.publish(aChange('gone', 5))).rejects.toMatchObject({ code: 'collection_conflict' })
    expect(await stateOf('gone')).toEqual({ collections: [], documents: [], lexicons: [] })
  })

  it('lets one of several writers from the same version succeed', async () => {
    const writers = Array.from({ length: 5 }, () => createD1Collections({ db: env.DB }))
    const outcomes = await Promise.allSettled(
      writers.map((writer, at) =>
        publish(writer, aChange('raced', 0, { documents: [{ id: `doc-${at}`, contentHash: 'h', chunkIds: [] }] })),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    const stored = await database.select({ id: documents.id }).from(documents).where(eq(documents.tenant, 'raced'))
    expect(stored).toEqual([{ id: `doc-${winner}` }])
  })

  it("reports a failed database, with D1's error as the cause", async () => {
    const change = aChange('broken', 0, { dimension: null as unknown as number })
    await expect(publish(createD1Collections({ db: env.DB }), change)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: expect.objectContaining({ message: expect.stringContaining('documents.dimension') }),
    })
  })
})

describe('documents', () => {
  const byId = (records: readonly DocumentRecord[]) => [...records].sort((a, b) => (a.id < b.id ? -1 : 1))

  it('returns the stored records, each once, without unknown ones', async () => {
    const collections = createD1Collections({ db: env.DB })
    const records: DocumentRecord[] = Array.from({ length: 500 }, (_, at) => ({
      id: `doc ${at} "ümläut"`,
      contentHash: `hash-${at}`,
      chunkIds: [`a-${at}`, `b-${at}`],
    }))
    await publish(collections, aChange('documents', 0, { documents: records }))
    const ids = ['unknown', ...records.map(({ id }) => id), records[0]!.id]
    expect(byId(await collections.documents('documents', 'manual', ids))).toEqual(byId(records))
    expect(await collections.documents('documents', 'manual', [])).toEqual([])
    expect(await collections.documents('documents', 'another', ids)).toEqual([])
    expect(await collections.documents('another', 'manual', ids)).toEqual([])
  })

  it('returns the record of the last publication', async () => {
    const collections = createD1Collections({ db: env.DB })
    await publish(collections, aChange('edited', 0))
    const edited = { id: 'doc-1', contentHash: 'hash-2', chunkIds: [] }
    await publish(collections, aChange('edited', 1, { documents: [edited] }))
    expect(await collections.documents('edited', 'manual', ['doc-1'])).toEqual([edited])
  })

  it('publishes more than one statement can hold', async () => {
    const collections = createD1Collections({ db: env.DB })
    const chunkIds = Array.from({ length: 500 }, (_, at) => `${'c'.repeat(28)}${at}`)
    const records = Array.from({ length: 60 }, (_, at) => ({ id: `doc-${at}`, contentHash: 'h', chunkIds }))
    await publish(collections, aChange('large', 0, { documents: records }))
    const ids = records.map(({ id }) => id)
    expect(byId(await collections.documents('large', 'manual', ids))).toEqual(byId(records))
  })
})

describe('find', () => {
  it('returns a copy up to its maximum age', async () => {
    const clock = makeClock()
    const writer = createD1Collections({ db: env.DB, clock })
    const reader = createD1Collections({ db: env.DB, clock, copyMaxAgeMs: 10_000 })
    await publish(writer, aChange('copied', 0))
    expect(await reader.find('copied', 'manual')).toMatchObject({ corpusVersion: 1 })
    await publish(writer, aChange('copied', 1))
    clock.advance(9_999)
    expect(await reader.find('copied', 'manual')).toMatchObject({ corpusVersion: 1 })
    clock.advance(1)
    expect(await reader.find('copied', 'manual')).toMatchObject({ corpusVersion: 2 })
  })

  it('queries the database once while a copy is fresh', async () => {
    const clock = makeClock()
    const reader = createD1Collections({ db: env.DB, clock })
    await publish(createD1Collections({ db: env.DB }), aChange('once', 0))
    const prepare = vi.spyOn(env.DB, 'prepare')
    for (let at = 0; at < 5; at++) await reader.find('once', 'manual')
    expect(prepare).toHaveBeenCalledTimes(1)
    prepare.mockRestore()
  })

  it('ignores a copy from the future', async () => {
    const clock = makeClock()
    const writer = createD1Collections({ db: env.DB })
    const reader = createD1Collections({ db: env.DB, clock })
    await publish(writer, aChange('future', 0))
    await reader.find('future', 'manual')
    await publish(writer, aChange('future', 1))
    clock.advance(-1)
    expect(await reader.find('future', 'manual')).toMatchObject({ corpusVersion: 2 })
  })

  it('sees a publication through the same object at once', async () => {
    const clock = makeClock()
    const collections = createD1Collections({ db: env.DB, clock })
    await publish(collections, aChange('own', 0))
    await collections.find('own', 'manual')
    await publish(collections, aChange('own', 1))
    expect(await collections.find('own', 'manual')).toMatchObject({ corpusVersion: 2 })
  })

  it('sees a collection as soon as it was created elsewhere', async () => {
    const clock = makeClock()
    const reader = createD1Collections({ db: env.DB, clock })
    expect(await reader.find('made', 'manual')).toBeNull()
    await publish(createD1Collections({ db: env.DB }), aChange('made', 0))
    expect(await reader.find('made', 'manual')).toMatchObject({ corpusVersion: 1 })
  })

  it.each<[string, 'publish' | 'choose' | 'both', object]>([
    ['a former version over a publish', 'publish', { corpusVersion: 2, policyId: null }],
    ['a former policy over one that was chosen', 'choose', { corpusVersion: 1, policyId: 'balanced@1' }],
    [
      'a former version over a publish and what was changed after it',
      'both',
      { corpusVersion: 2, policyId: 'balanced@1' },
    ],
  ])('does not let a slow read put %s', async (what, meanwhile, expected) => {
    const tenant = `slow-${what}`
    const clock = makeClock()
    const collections = createD1Collections({ db: env.DB, clock })
    await publish(collections, aChange(tenant, 0))
    clock.advance(10_000)
    let hasRead = (): void => undefined
    const read = new Promise<void>((resolve) => (hasRead = resolve))
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const prepare = env.DB.prepare.bind(env.DB)
    const spied = vi.spyOn(env.DB, 'prepare').mockImplementationOnce((sql) => {
      const statement = prepare(sql)
      const bind = statement.bind.bind(statement)
      statement.bind = (...values) => {
        const bound = bind(...values)
        const raw = bound.raw.bind(bound)
        // Drizzle asks for the rows alone.
        bound.raw = (async () => {
          const rows = await raw()
          hasRead()
          await released
          return rows
        }) as typeof bound.raw
        return bound
      }
      return statement
    })
    const reading = collections.find(tenant, 'manual')
    await read
    if (meanwhile !== 'choose') await publish(collections, aChange(tenant, 1))
    if (meanwhile !== 'publish') await collections.choosePolicy(tenant, 'manual', 'balanced@1')
    release()
    const late = await reading
    if (meanwhile === 'publish') expect(late).toMatchObject(expected)
    expect(await collections.find(tenant, 'manual')).toMatchObject(expected)
    spied.mockRestore()
  })

  it('queries every time with a maximum age of 0', async () => {
    const clock = makeClock()
    const writer = createD1Collections({ db: env.DB })
    const reader = createD1Collections({ db: env.DB, clock, copyMaxAgeMs: 0 })
    await publish(writer, aChange('uncopied', 0))
    expect(await reader.find('uncopied', 'manual')).toMatchObject({ corpusVersion: 1 })
    await publish(writer, aChange('uncopied', 1))
    expect(await reader.find('uncopied', 'manual')).toMatchObject({ corpusVersion: 2 })
  })

  it.each<[string, (collections: CollectionWriter, tenant: string) => Promise<unknown>]>([
    ['its scale', (collections, tenant) => collections.noteScale(tenant, 'manual', NO_SCALE)],
    ['its policy', (collections, tenant) => collections.choosePolicy(tenant, 'manual', 'balanced@1')],
    ['the policy of its tenant', (collections, tenant) => collections.chooseTenantPolicy(tenant, 'balanced@1')],
    ['what is not published', (collections, tenant) => collections.forget(tenant, 'manual', 'writer', ['c1'])],
  ])(
    'reads again once %s was changed, and returns the earlier copy while the database is down',
    async (what, change) => {
      const tenant = `changed-${what}`
      const collections = createD1Collections({ db: env.DB, outageMaxAgeMs: 60_000 })
      await publish(collections, aChange(tenant, 0))
      const before = await collections.find(tenant, 'manual')
      expect(before).toMatchObject({ corpusVersion: 1 })
      await change(collections, tenant)
      const raw = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('D1_ERROR: Network connection lost')))
      // Nothing else of a statement is used.
      const statement = { bind: () => statement, raw } as unknown as D1PreparedStatement
      const prepare = vi.spyOn(env.DB, 'prepare').mockReturnValue(statement)
      expect(await collections.find(tenant, 'manual')).toEqual(before)
      expect(raw).toHaveBeenCalledOnce()
      prepare.mockRestore()
    },
  )

  it.each([-1, 60_001, Number.NaN])('rejects a maximum age of copies of %d ms', (copyMaxAgeMs) => {
    expect(() => createD1Collections({ db: env.DB, copyMaxAgeMs })).toThrow(
      expect.objectContaining({ code: 'config_invalid' }),
    )
  })
})

/** Reads a lexicon as an isolate does that has no copy. */
function readAnew(lexiconId: string): Promise<Lexicon> {
  return createD1Collections({ db: env.DB }).lexicon(lexiconId)
}

describe('lexicon', () => {
  it('is returned as published, in several parts', async () => {
    const documentFrequency = new Map<string, number>()
    // 40 characters outside the basic plane each, so that cuts fall into surrogate pairs.
    for (let at = 0; at < 30_000; at++) documentFrequency.set(`${'𠀀'.repeat(20)}${at}`, 1 + (at % 7))
    const lexicon: Lexicon = { language: 'english', chunkCount: 10_000, termCount: 500_000, documentFrequency }
    expect(encodeLexicon(lexicon).length).toBeGreaterThan(1_000_000)
    const { lexiconId } = await publish(createD1Collections({ db: env.DB }), aChange('parts', 0, { lexicon }))
    const parts = await database.$count(lexicons, eq(lexicons.id, lexiconId!))
    expect(parts).toBeGreaterThan(2)
    expect(await createD1Collections({ db: env.DB }).lexicon(lexiconId!)).toEqual(lexicon)
  })

  it('without terms is returned without terms', async () => {
    const { lexiconId } = await publish(
      createD1Collections({ db: env.DB }),
      aChange('empty', 0, { lexicon: EMPTY_LEXICON }),
    )
    expect(await createD1Collections({ db: env.DB }).lexicon(lexiconId!)).toMatchObject({ chunkCount: 0, termCount: 0 })
  })

  it('is read from the database once', async () => {
    const { lexiconId } = await publish(createD1Collections({ db: env.DB }), aChange('read-once', 0))
    const reader = createD1Collections({ db: env.DB })
    const prepare = vi.spyOn(env.DB, 'prepare')
    for (let at = 0; at < 5; at++) expect(await reader.lexicon(lexiconId!)).toEqual(LEXICON)
    expect(prepare).toHaveBeenCalledTimes(1)
    prepare.mockRestore()
  })

  it('is readable for two minutes after it was superseded, and then deleted', async () => {
    const writer = createD1Collections({ db: env.DB })
    const startMs = Date.UTC(2026, 0, 1)
    const publishAt = async (from: number, atMs: number, words = `words ${from}`): Promise<string> => {
      const lexicon = buildLexicon([words])
      const { lexiconId } = await publish(writer, aChange('superseded', from, { lexicon, atMs }))
      return lexiconId!
    }
    const first = await publishAt(0, startMs)
    const second = await publishAt(1, startMs + 10)
    const third = await publishAt(2, startMs + 20)
    // Readers with a copy of any of the three still find their lexicon.
    expect((await lexiconIdsOf('superseded')).sort()).toEqual([first, second, third].sort())
    const fourth = await publishAt(3, startMs + 120_011)
    expect((await lexiconIdsOf('superseded')).sort()).toEqual([second, third, fourth].sort())
    // A lexicon that describes the collection again is no former one any more.
    expect(await publishAt(4, startMs + 120_012, 'words 1')).toBe(second)
    await publishAt(5, startMs + 500_000, 'words 1')
    expect(await lexiconIdsOf('superseded')).toEqual([second])
  })

  it("of one collection is unaffected by another's publication", async () => {
    const collections = createD1Collections({ db: env.DB })
    const mine = await publish(collections, aChange('mine', 0))
    const theirs = await publish(collections, aChange('theirs', 0))
    expect(mine.lexiconId).not.toBe(theirs.lexiconId)
    await publish(collections, aChange('theirs', 1, { lexicon: buildLexicon(['other']), atMs: Date.UTC(2027, 0, 1) }))
    await publish(collections, aChange('theirs', 2, { lexicon: buildLexicon(['third']), atMs: Date.UTC(2028, 0, 1) }))
    expect(await lexiconIdsOf('mine')).toEqual([mine.lexiconId])
  })

  it('is unreadable when it is missing, damaged or incomplete', async () => {
    const unreadable = { code: 'lexicon_unreadable' }
    const { lexiconId } = await publish(createD1Collections({ db: env.DB }), aChange('damaged', 0))
    await expect(readAnew('unknown')).rejects.toMatchObject(unreadable)
    await database.update(lexicons).set({ body: 'lexicon/2 english 1 1\n1 forged' }).where(eq(lexicons.id, lexiconId!))
    await expect(readAnew(lexiconId!)).rejects.toMatchObject(unreadable)
    await database.delete(lexicons).where(eq(lexicons.id, lexiconId!))
    await expect(readAnew(lexiconId!)).rejects.toMatchObject(unreadable)
  })
})

const AT_MS = Date.UTC(2026, 0, 1)

type ChoosesPolicy = (
  collections: CollectionWriter,
  tenant: string,
  policyId: string | null,
  replaced?: string | null,
) => Promise<unknown>

describe('the choice of a policy', () => {
  it.each<[string, ChoosesPolicy]>([
    ['a collection', (collections, tenant, ...choice) => collections.choosePolicy(tenant, 'manual', ...choice)],
    ['a tenant', (collections, tenant, ...choice) => collections.chooseTenantPolicy(tenant, ...choice)],
  ])('for %s is not replaced by one that arrives late', async (what, choose) => {
    const tenant = `late-choice-${what}`
    const collections = createD1Collections({ db: env.DB, copyMaxAgeMs: 0 })
    await publish(collections, aChange(tenant, 0))
    const policyId = async () => (await collections.find(tenant, 'manual'))?.policyId
    await choose(collections, tenant, 'newer@1', null)
    await expect(choose(collections, tenant, 'late@1', null)).rejects.toMatchObject({ code: 'collection_conflict' })
    expect(await policyId()).toBe('newer@1')
    // Sent twice.
    await choose(collections, tenant, 'newer@1', null)
    await choose(collections, tenant, null, 'newer@1')
    expect(await policyId()).toBeNull()
    await choose(collections, tenant, 'other@1')
    await choose(collections, tenant, 'any@1')
    expect(await policyId()).toBe('any@1')
  })

  it('is of published collections', async () => {
    const collections = createD1Collections({ db: env.DB })
    await collections.open('unpublished-choice', 'manual', aWriter('w', AT_MS))
    for (const replaced of [null, undefined]) {
      expect(await collections.choosePolicy('unpublished-choice', 'manual', 'any@1', replaced)).toBe(false)
    }
  })
})

describe('the lock of a writer', () => {
  it('belongs to one writer, tells others how long to wait, and is free once it ended', async () => {
    const collections = createD1Collections({ db: env.DB })
    await collections.open('turn', 'manual', aWriter('first', AT_MS))
    await expect(collections.open('turn', 'manual', aWriter('second', AT_MS + 15_500))).rejects.toMatchObject({
      code: 'collection_conflict',
      retryAfterSeconds: 45,
    })
    // Another's turn is not ended by another writer.
    await collections.close('turn', 'manual', 'second')
    await expect(collections.open('turn', 'manual', aWriter('second', AT_MS + 1))).rejects.toMatchObject({
      code: 'collection_conflict',
    })
    await collections.close('turn', 'manual', 'first')
    expect(await collections.open('turn', 'manual', aWriter('second', AT_MS + 1))).toMatchObject({ corpusVersion: 0 })
  })

  it('expires when its writer was interrupted, who can then change nothing', async () => {
    const collections = createD1Collections({ db: env.DB })
    const slow = aWriter('slow', AT_MS)
    await collections.open('expired', 'manual', slow)
    await collections.draft('expired', 'manual', slow, 0, ['c1', 'c2'])
    const opened = await collections.open('expired', 'manual', aWriter('quick', AT_MS + 60_000))
    expect([...opened.unpublishedChunkIds].sort()).toEqual(['c1', 'c2'])
    const conflict = { code: 'collection_conflict' }
    const late = aChange('expired', 0, { writerId: 'slow' })
    await expect(collections.publish(late)).rejects.toMatchObject(conflict)
    await expect(collections.draft('expired', 'manual', slow, 0, ['c3'])).rejects.toMatchObject(conflict)
    await collections.forget('expired', 'manual', 'slow', ['c1'])
    await collections.close('expired', 'manual', 'slow')
    const again = await collections.open('expired', 'manual', aWriter('quick', AT_MS + 60_000))
    expect([...again.unpublishedChunkIds].sort()).toEqual(['c1', 'c2'])
  })

  it('is extended by each step', async () => {
    const collections = createD1Collections({ db: env.DB })
    await collections.open('prolonged', 'manual', aWriter('writer', AT_MS))
    await collections.draft('prolonged', 'manual', aWriter('writer', AT_MS + 50_000), 0, [])
    const early = aWriter('other', AT_MS + 100_000)
    await expect(collections.open('prolonged', 'manual', early)).rejects.toMatchObject({ retryAfterSeconds: 10 })
  })

  it('hides a new collection from readers until it is published', async () => {
    const collections = createD1Collections({ db: env.DB })
    await collections.open('unseen', 'manual', aWriter())
    expect(await collections.find('unseen', 'manual')).toBeNull()
    expect(await collections.list('unseen')).toEqual([])
    await collections.publish(aChange('unseen', 0))
    expect(await collections.find('unseen', 'manual')).toMatchObject({ corpusVersion: 1 })
  })
})

describe('unpublished chunks', () => {
  it('are those drafted and those removed, until they are published or deleted', async () => {
    const collections = createD1Collections({ db: env.DB })
    const writer = aWriter()
    const unpublished = async () => {
      const found = await createD1Collections({ db: env.DB }).find('hidden', 'manual')
      return [...(found?.unpublishedChunkIds ?? [])].sort()
    }
    await publish(collections, aChange('hidden', 0))
    await collections.draft('hidden', 'manual', writer, 1, ['c2', 'c3'])
    expect(await unpublished()).toEqual(['c2', 'c3'])
    const changed = { id: 'doc-1', contentHash: 'hash-2', chunkIds: ['c2', 'c3'] }
    const published = await collections.publish(aChange('hidden', 1, { documents: [changed], removedChunkIds: ['c1'] }))
    expect(published.unpublishedChunkIds).toEqual(['c1'])
    // The first call arrives once more: what is published stays published.
    await collections.draft('hidden', 'manual', writer, 1, ['c2', 'c3'])
    expect(await unpublished()).toEqual(['c1'])
    await collections.forget('hidden', 'manual', writer.id, ['c1'])
    expect(await unpublished()).toEqual([])
    expect((await collections.find('hidden', 'manual'))?.unpublishedChunkIds).toEqual([])
  })

  it('of a collection without a writer are found by a sweep', async () => {
    const collections = createD1Collections({ db: env.DB })
    const names = async (atMs: number) => (await collections.abandoned(atMs, 1000)).map(({ tenant }) => tenant)
    await collections.open('abandoned', 'manual', aWriter('writer', AT_MS))
    await collections.draft('abandoned', 'manual', aWriter('writer', AT_MS), 0, ['c1'])
    expect(await names(AT_MS + 59_999)).not.toContain('abandoned')
    expect(await names(AT_MS + 60_000)).toContain('abandoned')
    await collections.close('abandoned', 'manual', 'writer')
    expect(await names(AT_MS)).toContain('abandoned')
  })

  it('are found by a sweep that reads equally many rows for any number of them', async () => {
    let rows = 0
    const counting = {
      prepare: (sql: string) => {
        const statement = env.DB.prepare(sql)
        return {
          bind: (...values: unknown[]) => ({
            raw: async () => {
              rows += (await statement.bind(...values).all()).meta.rows_read
              return statement.bind(...values).raw()
            },
          }),
        }
      },
    } as unknown as D1Database
    const rowsRead = async () => {
      rows = 0
      const names = await createD1Collections({ db: counting }).abandoned(AT_MS + 60_000, 1000)
      return { rows, names: names.filter(({ tenant }) => tenant === 'interrupted') }
    }
    const collections = createD1Collections({ db: env.DB })
    const leave = async (id: string, chunks: number) => {
      await collections.open('interrupted', id, aWriter('writer', AT_MS))
      const ids = Array.from({ length: chunks }, (_, at) => `c${at}`)
      await collections.draft('interrupted', id, aWriter('writer', AT_MS), 0, ids)
    }
    await leave('7', 10)
    await leave('a "b"', 10)
    const few = await rowsRead()
    expect(few.names).toEqual(['7', 'a "b"'].map((id) => ({ tenant: 'interrupted', id })))
    await leave('7', 5_000)
    expect(await rowsRead()).toEqual(few)
  })
})

describe('page', () => {
  it('returns the documents of a collection by id', async () => {
    const collections = createD1Collections({ db: env.DB })
    const records = ['d', 'b', 'a', 'c'].map((id) => ({ id, contentHash: 'h', chunkIds: [id] }))
    await publish(collections, aChange('paged', 0, { documents: records }))
    const first = await collections.page('paged', 'manual', '', 3)
    expect(first).toMatchObject({ documents: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], nextCursor: 'c' })
    expect(await collections.page('paged', 'manual', 'c', 3)).toMatchObject({
      documents: [{ id: 'd' }],
      nextCursor: null,
    })
    await publish(collections, aChange('paged', 1, { documents: [], removedDocumentIds: ['a', 'd'] }))
    expect(await collections.page('paged', 'manual', '', 2)).toMatchObject({
      documents: [{ id: 'b' }, { id: 'c' }],
      nextCursor: null,
    })
  })
})

describe('what is learned from', () => {
  it('are published chunks: a sample in the order of their ids, counted with those that changed', async () => {
    const collections = createD1Collections({ db: env.DB })
    const counts = (sinceMs: number) => collections.countChunks('learned', 'manual', sinceMs)
    expect(await counts(0)).toEqual({ chunks: 0, changed: 0 })
    const records = [
      { id: 'a', contentHash: 'h', chunkIds: ['c4', 'c1'] },
      { id: 'b', contentHash: 'h', chunkIds: ['c3', 'c2', 'c5'] },
    ]
    await publish(collections, aChange('learned', 0, { documents: records }))
    await publish(
      collections,
      aChange('learned-too', 0, { documents: [{ id: 'a', contentHash: 'h', chunkIds: ['c0'] }] }),
    )
    expect(await collections.sampleChunks('learned', 'manual', 4)).toEqual(['c1', 'c2', 'c3', 'c4'])
    expect(await counts(AT_MS)).toEqual({ chunks: 5, changed: 0 })
    const changed = { documents: [{ id: 'a', contentHash: 'i', chunkIds: ['c4', 'c1'] }], atMs: AT_MS + 1 }
    await publish(collections, aChange('learned', 1, changed))
    expect(await counts(AT_MS)).toEqual({ chunks: 5, changed: 2 })
  })

  it('are published collections after the given one', async () => {
    const collections = createD1Collections({ db: env.DB })
    for (const [tenant, id] of [
      ['zy', 'b'],
      ['zz', 'a'],
      ['zz', 'b'],
    ] as const)
      await publish(collections, aChange(tenant, 0, { id }))
    await collections.open('zz', 'c', aWriter())
    const after = (tenant: string, id: string, limit = 10) => collections.collectionsAfter({ tenant, id }, limit)
    expect(await after('zy', 'a')).toEqual([
      { tenant: 'zy', id: 'b' },
      { tenant: 'zz', id: 'a' },
      { tenant: 'zz', id: 'b' },
    ])
    expect(await after('zy', 'b', 1)).toEqual([{ tenant: 'zz', id: 'a' }])
    expect(await after('zz', 'b')).toEqual([])
  })
})

describe('chunks that arrive late', () => {
  it('are hidden unless a document has them', async () => {
    const collections = createD1Collections({ db: env.DB })
    await publish(collections, aChange('abandoned', 0))
    await collections.close('abandoned', 'manual', 'writer')
    await collections.find('abandoned', 'manual')
    await collections.abandon('abandoned', 'manual', AT_MS, [])
    await collections.abandon('abandoned', 'manual', AT_MS, ['c2', 'c9'])
    expect((await collections.find('abandoned', 'manual'))?.unpublishedChunkIds).toEqual(['c9'])
    expect(await collections.abandoned(AT_MS, 100)).toContainEqual({ tenant: 'abandoned', id: 'manual' })
  })
})
