import {
  type CollectionId,
  keepNewest,
  lengthPrefixed,
  methods,
  required,
  requireOptions,
  type Tenant,
} from 'hono-rag-gate/core/lib'
import type { D1Database } from '@cloudflare/workers-types'
import { and, asc, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { collections, documents, lexicons } from 'hono-rag-gate/d1/schema'
import { decodeLexicon, encodeLexicon, type Lexicon } from 'hono-rag-gate/core/text'
import { RagGateError } from 'hono-rag-gate/errors'
import type { CollectionWriter, DocumentRecord } from '../collection-writer.ts'
import type { Clock, Collection } from 'hono-rag-gate/ports'
import { sha256Hex } from 'hono-rag-gate/http'
import * as statement from './collection-statements.ts'
import { COPY_AGE, withLastKnown, jsonBatches, OUTAGE_AGE, rethrowStoreFault } from 'hono-rag-gate/adapters/d1'
import { lexiconIdPrefix, partsOf } from './lexicon-parts.ts'

export interface D1CollectionsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * Maximum age of a cached collection, milliseconds: for this long another isolate may not see a publication, or which
   * chunks are unpublished. 0..60,000; 0 reads the database every time.
   *
   * @default 10_000
   */
  readonly copyMaxAgeMs?: number
  /**
   * How old the last read row may be to stand in for a database that does not answer within a second, milliseconds:
   * questions are then answered from the documents of that time. 0..3,600,000.
   *
   * @default 0, which disables it
   */
  readonly outageMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
}

interface Copy {
  readonly collection: Collection
  readonly readAtMs: number
  /** Number of the change that outdated this copy: the row is read again. */
  readonly outdatedBy?: number
}

/** When a read began. */
interface Begun {
  readonly readAtMs: number
  /** Number of changes until then; unlike the clock it never goes back or stands still. */
  readonly changes: number
}

const DEFAULT_COPY_MAX_AGE_MS = 10_000
const MAX_COPIES = 1_000
/** Lexicons of large collections have megabytes, and an isolate has 128 MB of memory. */
const MAX_LEXICONS = 4

const { updatedAtMs: _at, writer: _writer, writerUntilMs: _until, ...COLUMNS } = getTableColumns(collections)

/**
 * The columns that readers need, in one statement, so that version and unpublished chunks are consistent. Table names
 * are written out: in a single-table query drizzle omits them, and the columns would refer to the inner table.
 */
const COLLECTION = {
  ...COLUMNS,
  policyId: sql<string | null>`coalesce(collections.policy_id,
    (SELECT policy_id FROM tenants WHERE tenants.id = collections.tenant))`,
  pushedPolicy: sql<string | null>`(SELECT json_object('settings', json(pushed.settings), 'pin', json(pushed.pin))
    FROM pushed_policies AS pushed WHERE pushed.tenant = collections.tenant AND pushed.id = coalesce(collections.policy_id,
      (SELECT policy_id FROM tenants WHERE tenants.id = collections.tenant)))`,
  unpublishedChunkIds: sql<string>`(SELECT json_group_array(chunk_id) FROM unpublished_chunks
    WHERE unpublished_chunks.tenant = collections.tenant AND unpublished_chunks.collection = collections.id)`
    // SQLite built this JSON from ids.
    .mapWith((ids: string) => JSON.parse(ids) as readonly string[]),
}

const DOCUMENT = { id: documents.id, contentHash: documents.contentHash, chunkIds: documents.chunkIds }

/**
 * Collections in D1. Rows and lexicons are cached in the isolate; a publication through this object updates the cache.
 * A missing collection is not cached, so that it is found as soon as it exists. Errors of D1 become `schema_outdated`
 * or `store_unavailable`.
 *
 * @throws `config_invalid` when `copyMaxAgeMs` is out of range
 */
export function createD1Collections(options: D1CollectionsOptions): CollectionWriter {
  requireOptions(options, {
    db: required(methods('prepare')),
    copyMaxAgeMs: COPY_AGE,
    outageMaxAgeMs: OUTAGE_AGE,
    clock: methods('nowMs'),
  })
  const {
    db,
    copyMaxAgeMs = DEFAULT_COPY_MAX_AGE_MS,
    outageMaxAgeMs = 0,
    clock = { nowMs: () => Date.now() },
  } = options
  const lastKnown = withLastKnown({ maxAgeMs: outageMaxAgeMs, clock })
  const queries = drizzle(db)
  const copies = new Map<string, Copy>()
  let changes = 0
  const begin = (): Begun => ({ readAtMs: clock.nowMs(), changes })
  const readLexicons = new Map<string, Lexicon>()

  /** Caches a row as of the start of its read. A later version cached meanwhile stays; a later change outdates it. */
  function keepCopy(collection: Collection, begun: Begun): Collection {
    const key = lengthPrefixed([collection.tenant, collection.id])
    const held = copies.get(key)
    if (held !== undefined && isYoung(held) && held.collection.corpusVersion > collection.corpusVersion) {
      return held.collection
    }
    const { outdatedBy = 0 } = held ?? {}
    const copy = { collection, readAtMs: begun.readAtMs, ...(outdatedBy > begun.changes && { outdatedBy }) }
    keepNewest(copies, key, copy, MAX_COPIES)
    return collection
  }

  /** For changes that do not affect the evidence: if the database is unavailable, the old copy is used. */
  function outdate(key: string): void {
    const held = copies.get(key)
    if (held !== undefined) copies.set(key, { ...held, outdatedBy: ++changes })
  }

  function isYoung({ readAtMs }: Copy): boolean {
    const ageMs = clock.nowMs() - readAtMs
    return ageMs >= 0 && ageMs < copyMaxAgeMs
  }

  async function read(tenant: Tenant, id: CollectionId): Promise<Collection | undefined> {
    return queries
      .select(COLLECTION)
      .from(collections)
      .where(statement.named(tenant, id))
      .get()
      .catch(rethrowStoreFault)
  }

  return {
    async find(tenant, id) {
      const key = lengthPrefixed([tenant, id])
      const held = copies.get(key)
      if (held !== undefined && isYoung(held) && held.outdatedBy === undefined) return held.collection
      const known = held && { value: held.collection, readAtMs: held.readAtMs }
      return lastKnown<Collection | null>(known, async () => {
        const begun = begin()
        const collection = await read(tenant, id)
        if (copies.get(key) === held) copies.delete(key)
        return collection === undefined || collection.corpusVersion === 0 ? null : keepCopy(collection, begun)
      })
    },

    async list(tenant) {
      return queries
        .select(COLLECTION)
        .from(collections)
        .where(and(eq(collections.tenant, tenant), gt(collections.corpusVersion, 0)))
        .orderBy(asc(collections.id))
        .catch(rethrowStoreFault)
    },

    async lexicon(lexiconId) {
      const held = readLexicons.get(lexiconId)
      const lexicon = held ?? decodeLexicon(await readLexiconText(lexiconId))
      keepNewest(readLexicons, lexiconId, lexicon, MAX_LEXICONS)
      return lexicon
    },

    async documents(tenant, id, documentIds) {
      const found: DocumentRecord[] = []
      for (const asked of jsonBatches(new Set(documentIds))) {
        const rows = await queries
          .select(DOCUMENT)
          .from(documents)
          .where(and(statement.documentsOf(tenant, id), inArray(documents.id, statement.listed(asked))))
          .catch(rethrowStoreFault)
        found.push(...rows)
      }
      return found
    },

    async page(tenant, id, after, limit) {
      const rows = await queries
        .select(DOCUMENT)
        .from(documents)
        .where(and(statement.documentsOf(tenant, id), gt(documents.id, after)))
        .orderBy(asc(documents.id))
        // One more, to know whether there is a next page.
        .limit(limit + 1)
        .catch(rethrowStoreFault)
      return { documents: rows.slice(0, limit), nextCursor: rows.length > limit ? rows[limit - 1]!.id : null }
    },

    async open(tenant, id, writer) {
      const begun = begin()
      const [, taken, [lease]] = await queries
        .batch([
          statement.insertCollection(queries, tenant, id, writer.atMs),
          statement.takeLease(queries, tenant, id, writer),
          statement.readLease(queries, tenant, id),
        ])
        .catch(rethrowStoreFault)
      if (taken.length !== 1) {
        const waitMs = (lease?.untilMs ?? writer.atMs) - writer.atMs
        throw new RagGateError('collection_conflict', 'Another writer is changing the collection', {
          retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
        })
      }
      const collection = await read(tenant, id)
      // The row was inserted above, and collections are never deleted.
      if (collection!.corpusVersion > 0) keepCopy(collection!, begun)
      return collection!
    },

    async draft(tenant, id, writer, fromVersion, chunkIds) {
      const [kept] = await queries
        .batch([
          statement.keepLease(queries, tenant, id, writer),
          ...jsonBatches(chunkIds).map((batch) =>
            statement.recordUnpublished(queries, tenant, id, writer, fromVersion, batch),
          ),
        ])
        .catch(rethrowStoreFault)
      // An older copy does not know these chunks, so a search would treat them as evidence.
      copies.delete(lengthPrefixed([tenant, id]))
      if (kept.length !== 1) throw conflict()
    },

    async publish(change) {
      const { tenant, id, writerId, atMs } = change
      const text = encodeLexicon(change.lexicon)
      const lexiconId = `${lexiconIdPrefix(tenant, id)}${await sha256Hex(text)}`
      const publishedIds = change.documents.flatMap(({ chunkIds }) => chunkIds)
      const begun = begin()
      // One transaction: if one statement fails, D1 rolls back all.
      const statements = [
        statement.insertCollection(queries, tenant, id, atMs),
        statement.supersedeLexicon(queries, change, lexiconId),
        statement.raiseVersion(queries, change, lexiconId),
        ...partsOf(text).map((body, part) => statement.storeLexiconPart(queries, lexiconId, part, body)),
        ...jsonBatches(change.documents).map((batch) => statement.storeDocuments(queries, change, batch)),
        ...jsonBatches(change.removedDocumentIds).map((batch) => statement.dropDocuments(queries, change, batch)),
        statement.noteEmbedding(queries, change),
        ...jsonBatches(publishedIds).map((batch) => statement.dropUnpublished(queries, tenant, id, writerId, batch)),
        ...jsonBatches(change.removedChunkIds).map((batch) =>
          statement.recordUnpublished(queries, tenant, id, { id: writerId, atMs }, change.fromVersion + 1, batch),
        ),
        statement.dropLexicons(queries, change),
      ] as const
      await queries.batch(statements).catch((thrown: unknown) => {
        if (!statement.isVersionConflict(thrown)) rethrowStoreFault(thrown)
        copies.delete(lengthPrefixed([tenant, id]))
        throw conflict(thrown)
      })
      keepNewest(readLexicons, lexiconId, change.lexicon, MAX_LEXICONS)
      // The row exists: `raiseVersion` has just updated it.
      return keepCopy((await read(tenant, id))!, begun)
    },

    async forget(tenant, id, writerId, chunkIds, except) {
      const [first, ...others] = jsonBatches(chunkIds).map((batch) =>
        statement.dropUnpublished(queries, tenant, id, writerId, batch, except),
      )
      if (first === undefined) return
      await queries.batch([first, ...others]).catch(rethrowStoreFault)
      outdate(lengthPrefixed([tenant, id]))
    },

    async abandon(tenant, id, atMs, chunkIds) {
      const [first, ...others] = jsonBatches(chunkIds).map((batch) =>
        statement.recordAbandoned(queries, tenant, id, atMs, batch),
      )
      if (first === undefined) return
      await queries.batch([first, ...others]).catch(rethrowStoreFault)
      copies.delete(lengthPrefixed([tenant, id]))
    },

    async close(tenant, id, writerId) {
      await statement.endLease(queries, tenant, id, writerId).catch(rethrowStoreFault)
    },

    async choosePolicy(tenant, id, policyId, replaced) {
      const [chosen] = await statement
        .choosePolicy(queries, { tenant, id }, policyId, replaced)
        .catch(rethrowStoreFault)
      outdate(lengthPrefixed([tenant, id]))
      if (chosen !== undefined && chosen.policyId !== policyId) throw conflict()
      return chosen !== undefined
    },

    async chooseTenantPolicy(tenant, policyId, replaced) {
      const [chosen] = await statement.chooseTenantPolicy(queries, tenant, policyId, replaced).catch(rethrowStoreFault)
      for (const key of copies.keys()) outdate(key)
      // The row was inserted or updated.
      if (chosen!.policyId !== policyId) throw conflict()
    },

    async noteScale(tenant, id, scale) {
      const isOlder = sql`coalesce(${collections.scale} ->> 'learnedAtMs' <= ${scale.learnedAtMs}, true)`
      await queries
        .update(collections)
        .set({ scale })
        .where(and(statement.named(tenant, id), isOlder))
        .catch(rethrowStoreFault)
      outdate(lengthPrefixed([tenant, id]))
    },

    async sampleChunks(tenant, id, limit) {
      const chunks = await statement.readSample(queries, tenant, id, limit).catch(rethrowStoreFault)
      return chunks.map((chunk) => chunk.id)
    },

    async countChunks(tenant, id, sinceMs) {
      const [counts] = await statement.readCounts(queries, tenant, id, sinceMs).catch(rethrowStoreFault)
      // An aggregate query returns one row.
      return counts!
    },

    async collectionsAfter(after, limit) {
      return statement.readCollections(queries, after, limit).catch(rethrowStoreFault)
    },

    async abandoned(atMs, limit) {
      return statement.readAbandoned(queries, atMs, limit).catch(rethrowStoreFault)
    },
  }

  async function readLexiconText(lexiconId: string): Promise<string> {
    const parts = await queries
      .select({ body: lexicons.body })
      .from(lexicons)
      .where(eq(lexicons.id, lexiconId))
      .orderBy(asc(lexicons.part))
      .catch(rethrowStoreFault)
    const text = parts.map(({ body }) => body).join('')
    if (parts.length === 0 || !lexiconId.endsWith(`-${await sha256Hex(text)}`)) {
      throw new RagGateError('lexicon_unreadable', 'The collection lexicon is missing or damaged')
    }
    return text
  }
}

function conflict(cause?: unknown): RagGateError {
  return new RagGateError('collection_conflict', 'The collection was changed by another writer', { cause })
}
