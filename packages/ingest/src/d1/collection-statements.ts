/**
 * The queries that change a collection, each one step of a transaction. Those that write its row are `@internal`,
 * because their types would name files of another package in the declarations.
 */
/* oxlint-disable typescript/explicit-module-boundary-types -- types of queries are inferred: drizzle has no short names for them */
import {
  and,
  eq,
  exists,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  lte,
  ne,
  notBetween,
  notExists,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { CollectionId, CorpusVersion, Tenant } from 'hono-rag-gate/core/lib'
import { collections, documents, lexicons, tenants, unpublishedChunks } from 'hono-rag-gate/d1/schema'
import type { CollectionName, CorpusChange, Writer } from '../collection-writer.ts'
import { lexiconIdPrefix } from './lexicon-parts.ts'

type Queries = DrizzleD1Database

/** How long a superseded lexicon is kept: twice the maximum age of a cached copy that may refer to it. */
const KEEP_SUPERSEDED_MS = 120_000

/** Condition for the row of a collection. */
export function named(tenant: Tenant, id: CollectionId): SQL | undefined {
  return and(eq(collections.tenant, tenant), eq(collections.id, id))
}

/** Condition for the documents of a collection. */
export function documentsOf(tenant: Tenant, id: CollectionId): SQL | undefined {
  return and(eq(documents.tenant, tenant), eq(documents.collection, id))
}

/** The values of a JSON list, which may be more than D1 can bind. */
export function listed(batch: string): SQL {
  return sql`(SELECT value FROM json_each(${batch}))`
}

/** What is then set: `policyId`, unless there is another policy than the one it replaces; `undefined` is any. */
function chosenPolicy(current: SQLWrapper, policyId: string | null, replaced: string | null | undefined): SQL {
  return replaced === undefined ? sql`${policyId}` : sql`iif(${current} IS ${replaced}, ${policyId}, ${current})`
}

/** Chooses the policy of a published collection. Returns the policy that is set then. @internal */
export function choosePolicy(
  queries: Queries,
  { tenant, id }: CollectionName,
  policyId: string | null,
  replaced: string | null | undefined,
) {
  return queries
    .update(collections)
    .set({ policyId: chosenPolicy(collections.policyId, policyId, replaced) })
    .where(and(named(tenant, id), gt(collections.corpusVersion, 0)))
    .returning({ policyId: collections.policyId })
}

/** Chooses the policy of a tenant. Returns the policy that is set then. @internal */
export function chooseTenantPolicy(
  queries: Queries,
  tenant: Tenant,
  policyId: string | null,
  replaced: string | null | undefined,
) {
  return queries
    .insert(tenants)
    .values({ id: tenant, policyId })
    .onConflictDoUpdate({
      target: tenants.id,
      set: { policyId: chosenPolicy(tenants.policyId, policyId, replaced) },
    })
    .returning({ policyId: tenants.policyId })
}

/** Inserts the row of a collection if there is none, at version 0. @internal */
export function insertCollection(queries: Queries, tenant: Tenant, id: CollectionId, atMs: number) {
  return queries
    .insert(collections)
    .values({ tenant, id, corpusVersion: 0, embeddingModel: '', dimension: 0, updatedAtMs: atMs })
    .onConflictDoNothing()
}

/**
 * Takes the lease if it is free, held by this writer, or expired. A lease that ends later than any writer may ask for
 * was taken before the clock was set back, and counts as expired. Returns the row on success.
 * @internal
 */
export function takeLease(queries: Queries, tenant: Tenant, id: CollectionId, { id: writer, atMs, untilMs }: Writer) {
  const runOut = notBetween(collections.writerUntilMs, atMs + 1, untilMs + (untilMs - atMs))
  return queries
    .update(collections)
    .set({ writer, writerUntilMs: untilMs })
    .where(and(named(tenant, id), or(isNull(collections.writer), eq(collections.writer, writer), runOut)))
    .returning({ id: collections.id })
}

/** Renews a lease that the writer still holds. Returns the row on success. @internal */
export function keepLease(queries: Queries, tenant: Tenant, id: CollectionId, writer: Writer) {
  return queries
    .update(collections)
    .set({ writerUntilMs: writer.untilMs })
    .where(and(named(tenant, id), eq(collections.writer, writer.id)))
    .returning({ id: collections.id })
}

/** Ends a lease that the writer still holds. Its time is kept, for the order of `readAbandoned`. @internal */
export function endLease(queries: Queries, tenant: Tenant, id: CollectionId, writerId: string) {
  return queries
    .update(collections)
    .set({ writer: null })
    .where(and(named(tenant, id), eq(collections.writer, writerId)))
}

/** When the current lease expires. */
export function readLease(queries: Queries, tenant: Tenant, id: CollectionId) {
  return queries.select({ untilMs: collections.writerUntilMs }).from(collections).where(named(tenant, id))
}

/**
 * Records chunks as unpublished, if the writer holds the lease and the collection is at this version, so that a
 * repeated call after their publication does nothing. `batch` is a JSON list of ids.
 */
export function recordUnpublished(
  queries: Queries,
  tenant: Tenant,
  id: CollectionId,
  writer: Pick<Writer, 'id' | 'atMs'>,
  version: CorpusVersion,
  batch: string,
) {
  const isHeld = held(queries, tenant, id, writer.id, eq(collections.corpusVersion, version))
  return queries
    .insert(unpublishedChunks)
    .select(sql`SELECT ${tenant}, ${id}, value, ${writer.atMs} FROM json_each(${batch}) WHERE ${isHeld}`)
    .onConflictDoNothing()
}

/** Records chunks without a document as unpublished, regardless of the lease. `batch` is a JSON list of ids. */
export function recordAbandoned(queries: Queries, tenant: Tenant, id: CollectionId, atMs: number, batch: string) {
  return queries
    .insert(unpublishedChunks)
    .select(
      sql`SELECT ${tenant}, ${id}, value, ${atMs} FROM json_each(${batch}) WHERE value NOT IN (
        SELECT published.value FROM ${documents}, json_each(${documents.chunkIds}) AS published WHERE ${documentsOf(tenant, id)}
      )`,
    )
    .onConflictDoNothing()
}

/**
 * Deletes records of unpublished chunks, if the writer holds the lease. Those made in the period `except` are kept.
 * `batch` is a JSON list of ids.
 */
export function dropUnpublished(
  queries: Queries,
  tenant: Tenant,
  id: CollectionId,
  writerId: string,
  batch: string,
  except = { fromMs: 0, toMs: -1 },
) {
  const u = unpublishedChunks
  return queries
    .delete(u)
    .where(
      and(
        eq(u.tenant, tenant),
        eq(u.collection, id),
        notBetween(u.sinceMs, except.fromMs, except.toMs),
        inArray(u.chunkId, listed(batch)),
        held(queries, tenant, id, writerId),
      ),
    )
}

/** Whether the writer holds the lease, and a further condition on the collection holds. */
function held(queries: Queries, tenant: Tenant, id: CollectionId, writerId: string, more?: SQL): SQL {
  return exists(
    queries
      .select({ id: collections.id })
      .from(collections)
      .where(and(named(tenant, id), eq(collections.writer, writerId), more)),
  )
}

/** Marks the current lexicon as superseded. Must run while the row still refers to it. */
export function supersedeLexicon(queries: Queries, { tenant, id, atMs }: CorpusChange, lexiconId: string) {
  const present = queries.select({ id: collections.lexiconId }).from(collections).where(named(tenant, id))
  return queries
    .update(lexicons)
    .set({ supersededAtMs: atMs })
    .where(and(eq(lexicons.part, 0), ne(lexicons.id, lexiconId), eq(lexicons.id, present)))
}

/**
 * Increments the version. Without the lease, or from a version other than the change's, it would become NULL, which
 * violates the column's constraint, so the statement and its transaction fail.
 * @internal
 */
export function raiseVersion(queries: Queries, change: CorpusChange, lexiconId: string) {
  const { corpusVersion: version, writer } = collections
  const isHeld = and(eq(version, change.fromVersion), eq(writer, change.writerId))
  return queries
    .update(collections)
    .set({ corpusVersion: sql`CASE WHEN ${isHeld} THEN ${version} + 1 END`, lexiconId, updatedAtMs: change.atMs })
    .where(named(change.tenant, change.id))
}

/**
 * Sets the collection's embedding model once all its documents are embedded with it: until then it stays at the old
 * model, so that an index already on the new one is not searched. Must run after the documents are stored.
 * @internal
 */
export function noteEmbedding(queries: Queries, { tenant, id, embeddingModel, dimension }: CorpusChange) {
  const isOther = or(ne(documents.embeddingModel, embeddingModel), ne(documents.dimension, dimension))
  const others = queries
    .select({ id: documents.id })
    .from(documents)
    .where(and(documentsOf(tenant, id), isOther))
  return queries
    .update(collections)
    .set({ embeddingModel, dimension })
    .where(and(named(tenant, id), notExists(others)))
}

export function isVersionConflict(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes('NOT NULL constraint failed: collections.corpus_version')
}

/** Stores a part of a lexicon; one that exists, because the corpus was changed back, becomes current again. */
export function storeLexiconPart(queries: Queries, lexiconId: string, part: number, body: string) {
  return queries
    .insert(lexicons)
    .values({ id: lexiconId, part, body })
    .onConflictDoUpdate({
      target: [lexicons.id, lexicons.part],
      set: { body: sql`excluded.body`, supersededAtMs: null },
    })
}

export function storeDocuments(queries: Queries, change: CorpusChange, batch: string) {
  const { tenant, collection, id, ...stored } = getTableColumns(documents)
  return queries
    .insert(documents)
    .select(
      sql`SELECT ${change.tenant}, ${change.id}, value ->> 'id', value ->> 'contentHash', value ->> 'chunkIds',
        ${change.embeddingModel}, ${change.dimension}, ${change.atMs} FROM json_each(${batch}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: [tenant, collection, id],
      set: Object.fromEntries(Object.entries(stored).map(([key, { name }]) => [key, sql.raw(`excluded.${name}`)])),
    })
}

/** Deletes documents. `batch` is a JSON list of ids. */
export function dropDocuments(queries: Queries, { tenant, id }: CorpusChange, batch: string) {
  return queries.delete(documents).where(and(documentsOf(tenant, id), inArray(documents.id, listed(batch))))
}

/** Deletes lexicons of the collection that no cached copy can refer to any more. */
export function dropLexicons(queries: Queries, { tenant, id, atMs }: CorpusChange) {
  const prefix = lexiconIdPrefix(tenant, id)
  const { id: column, part, supersededAtMs } = lexicons
  const old = queries
    .select({ id: column })
    .from(lexicons)
    .where(
      and(gte(column, prefix), lt(column, `${prefix}~`), eq(part, 0), lt(supersededAtMs, atMs - KEEP_SUPERSEDED_MS)),
    )
  return queries.delete(lexicons).where(inArray(column, old))
}

/** Collections with unpublished chunks and without an active writer, least recently opened first. */
export function readAbandoned(queries: Queries, atMs: number, limit: number) {
  const { tenant, id, writer, writerUntilMs } = collections
  return queries
    .select({ tenant, id })
    .from(collections)
    .where(and(sql`(${tenant}, ${id}) IN (${WITH_UNPUBLISHED})`, or(isNull(writer), lte(writerUntilMs, atMs))))
    .orderBy(writerUntilMs, tenant, id)
    .limit(limit)
}

/**
 * Keys of collections with unpublished chunks. Each is looked up after the one before: one row, however many chunks.
 * After a pair in a row comparison, SQLite would scan the rows equal to it.
 */
const WITH_UNPUBLISHED = sql.raw(`
  WITH RECURSIVE names (name) AS (
    SELECT (SELECT json_array(tenant, collection) FROM unpublished_chunks ORDER BY tenant, collection LIMIT 1)
    UNION ALL
    SELECT coalesce(
      (
        SELECT json_array(tenant, collection) FROM unpublished_chunks
        WHERE tenant = name ->> 0 AND collection > name ->> 1 ORDER BY collection LIMIT 1
      ),
      (
        SELECT json_array(tenant, collection) FROM unpublished_chunks
        WHERE tenant > name ->> 0 ORDER BY tenant, collection LIMIT 1
      )
    )
    FROM names WHERE name IS NOT NULL
  )
  SELECT name ->> 0, name ->> 1 FROM names WHERE name IS NOT NULL`)

/**
 * Ids of published chunks, in the order of the ids. Ids are hashes, so the first ones are spread over all documents.
 */
export function readSample(queries: Queries, tenant: Tenant, id: CollectionId, limit: number) {
  const chunk = sql<string>`chunk.value`
  return queries
    .select({ id: chunk })
    .from(documents)
    .innerJoin(sql`json_each(${documents.chunkIds}) AS chunk`, sql`true`)
    .where(documentsOf(tenant, id))
    .orderBy(chunk)
    .limit(limit)
}

/** Counts published chunks, and those of documents stored since a time. */
export function readCounts(queries: Queries, tenant: Tenant, id: CollectionId, sinceMs: number) {
  const counted = sql`json_array_length(${documents.chunkIds})`
  return queries
    .select({
      chunks: sql<number>`coalesce(sum(${counted}), 0)`,
      changed: sql<number>`coalesce(sum(iif(${documents.updatedAtMs} > ${sinceMs}, ${counted}, 0)), 0)`,
    })
    .from(documents)
    .where(documentsOf(tenant, id))
}

/** Published collections in the order of their keys. */
export function readCollections(queries: Queries, after: CollectionName, limit: number) {
  const { tenant, id, corpusVersion } = collections
  return queries
    .select({ tenant, id })
    .from(collections)
    .where(and(sql`(${tenant}, ${id}) > (${after.tenant}, ${after.id})`, sql`${corpusVersion} > 0`))
    .orderBy(tenant, id)
    .limit(limit)
}
