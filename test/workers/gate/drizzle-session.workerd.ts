/** The session that the Worker is bundled with in the place of drizzle's own: the same results over D1, in every way in which queries are run. */
import { env } from 'cloudflare:workers'
import { and, desc, eq, sql } from 'drizzle-orm'
import { drizzle, DrizzleD1Database } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, it } from 'vitest'
import { collections, documents, unpublishedChunks } from '../../../d1/schema.ts'
import { SQLiteD1Session } from '../../../workers/gate/drizzle-session.mjs'

type Database = DrizzleD1Database
const own = new DrizzleD1Database('async', new SQLiteAsyncDialect(), new SQLiteD1Session(env.DB) as never, undefined)
const theirs: Database = drizzle(env.DB)

const chunk = (chunkId: string) => ({ tenant: 't', collection: 'a', chunkId, sinceMs: 7 })

beforeAll(async () => {
  await theirs.insert(collections).values(
    ['a', 'b', 'c'].map((id, corpusVersion) => ({
      tenant: 't',
      id,
      corpusVersion,
      embeddingModel: 'm',
      dimension: 8,
      updatedAtMs: 1,
    })),
  )
  await theirs.insert(unpublishedChunks).values(['1', '2'].map(chunk))
  const document = {
    tenant: 't',
    collection: 'a',
    id: 'd',
    contentHash: 'h',
    chunkIds: ['1', '2'],
    embeddingModel: 'm',
  }
  await theirs.insert(documents).values({ ...document, dimension: 8, updatedAtMs: 1 })
})

/** Each a query that only reads, or that leaves things as they are. */
const QUERIES: Readonly<Record<string, (db: Database) => PromiseLike<unknown>>> = {
  'rows whole': (db) => db.select().from(collections).orderBy(desc(collections.id)),
  'one row': (db) => db.select().from(collections).where(eq(collections.id, 'b')).get(),
  'no row': (db) => db.select().from(collections).where(eq(collections.id, 'none')).get(),
  'all rows, some members': (db) =>
    db.select({ id: collections.id, n: collections.corpusVersion }).from(collections).all(),
  'JSON in a column': (db) => db.select({ ids: documents.chunkIds }).from(documents),
  'an expression': (db) => db.select({ n: sql<number>`count(*)` }).from(unpublishedChunks),
  'a join with rows that have no partner': (db) =>
    db
      .select({ id: collections.id, chunk: unpublishedChunks })
      .from(collections)
      .leftJoin(
        unpublishedChunks,
        and(eq(unpublishedChunks.collection, collections.id), eq(unpublishedChunks.chunkId, '1')),
      )
      .orderBy(collections.id),
  'what was written': (db) => db.insert(unpublishedChunks).values(chunk('1')).onConflictDoNothing().returning(),
  'a batch of all of them': (db) =>
    db.batch([
      db.select().from(collections).where(eq(collections.id, 'b')),
      db.select({ ids: documents.chunkIds }).from(documents),
      db.select({ n: sql<number>`count(*)` }).from(unpublishedChunks),
      db.insert(unpublishedChunks).values(chunk('2')).onConflictDoNothing().returning(),
      db
        .select({ id: collections.id, chunk: unpublishedChunks })
        .from(collections)
        .leftJoin(unpublishedChunks, eq(unpublishedChunks.collection, collections.id)),
    ]),
}

it.each(Object.entries(QUERIES))("gives the same result as drizzle's session: %s", async (_, query) => {
  expect(await query(own)).toEqual(await query(theirs))
})

it('a write without rows reports its changes, alone and in a batch', async () => {
  const changes = async (db: Database, id: string): Promise<unknown> => {
    const alone = await db.insert(unpublishedChunks).values(chunk(id)).run()
    const [first] = await db.batch([db.insert(unpublishedChunks).values(chunk(`${id}${id}`))])
    return [alone.meta.changes, first.meta.changes]
  }
  expect(await changes(own, 'x')).toEqual(await changes(theirs, 'y'))
})

it('a query that D1 rejects is rejected with its error', async () => {
  const broken = (db: Database) => db.select({ n: sql`no_such_function()` }).from(collections)
  await expect(broken(own)).rejects.toThrow('no_such_function')
})
