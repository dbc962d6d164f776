/** What the Worker is bundled with in the place of `drizzle-orm/d1`: the same SQL and the same results, in every way in which queries are run. */
import { env } from 'cloudflare:workers'
import { and, desc, eq, is, isNull, sql, Table } from 'drizzle-orm'
import { drizzle, type DrizzleD1Database } from 'drizzle-orm/d1'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { beforeAll, expect, it } from 'vitest'
import * as schema from '../../../d1/schema.ts'
import { drizzle as drizzleOfTheBundle } from '../../../workers/gate/drizzle-d1.mjs'

type Database = DrizzleD1Database
const own: Database = drizzleOfTheBundle(env.DB)
const theirs: Database = drizzle(env.DB)
const { collections, documents, unpublishedChunks } = schema

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

it.each(Object.entries(QUERIES))("gives the same result as drizzle's own: %s", async (_, query) => {
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

/** The parts that statements have, each with what no other one has. */
const STATEMENTS: Readonly<Record<string, (db: Database) => { toSQL(): unknown }>> = {
  'a selection of everything': (db) => {
    const part = db
      .select({ id: documents.id, size: sql<number>`length(${documents.chunkIds})`.as('size') })
      .from(documents)
      .where(and(eq(documents.tenant, 't'), isNull(documents.collection)))
      .as('part')
    return db
      .selectDistinct({ id: part.id, size: part.size, most: sql<number>`max(${collections.id})`.as('most') })
      .from(part)
      .innerJoin(collections, eq(collections.id, part.id))
      .leftJoin(sql`json_each('[]') AS each`, sql`true`)
      .groupBy(part.id, sql`${part.size}`)
      .having(sql`${part.size} > 1`)
      .orderBy(desc(part.size), part.id)
      .limit(3)
      .offset(2)
  },
  'unions in a subquery': (db) => {
    const ids = () => db.select({ id: collections.id }).from(collections)
    const part = ids()
      .union(ids())
      .unionAll(ids().where(eq(collections.id, 'b')).limit(2))
      .as('part')
    return db.select().from(part).orderBy(desc(part.id))
  },
  'a limit of none': (db) => db.select().from(collections).limit(0),
  'an expression of the only table': (db) => db.select({ n: sql`max(${documents.id})`.as('n') }).from(documents),
  'rows from a selection': (db) =>
    db
      .insert(unpublishedChunks)
      .select(sql`select * from ${unpublishedChunks} where ${eq(unpublishedChunks.chunkId, '1')}`),
  'what replaces a row': (db) =>
    db
      .insert(unpublishedChunks)
      .values([chunk('1'), { ...chunk('2'), sinceMs: sql`1 + ${2}` }])
      .onConflictDoUpdate({
        target: [unpublishedChunks.tenant, unpublishedChunks.chunkId],
        targetWhere: isNull(unpublishedChunks.sinceMs),
        set: { sinceMs: sql`excluded.since_ms`, collection: 'b' },
        setWhere: eq(unpublishedChunks.sinceMs, 1),
      })
      .returning({ at: unpublishedChunks.sinceMs }),
  'a change': (db) =>
    db
      .update(collections)
      .set({ dimension: 9, corpusVersion: sql`${collections.corpusVersion} + 1` })
      .where(eq(collections.id, 'a'))
      .returning(),
  'a deletion': (db) => db.delete(documents).where(eq(documents.id, 'd')).returning({ id: documents.id }),
}

it.each(Object.entries(STATEMENTS))("writes the same SQL as drizzle's dialect: %s", (_, statement) => {
  expect(statement(own).toSQL()).toEqual(statement(theirs).toSQL())
})

const TABLES = Object.entries(schema as Readonly<Record<string, unknown>>).filter(
  (entry): entry is [string, SQLiteTable] => is(entry[1], Table),
)

it.each(TABLES)('a row of defaults is inserted and read alike: %s', (_, table) => {
  const statements = (db: Database) => [
    db.insert(table).values({}).returning().toSQL(),
    db.select().from(table).toSQL(),
  ]
  expect(statements(own)).toEqual(statements(theirs))
})
