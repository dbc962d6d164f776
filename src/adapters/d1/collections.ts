import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/d1'
import { collections, documents, lexicons } from '../../../d1/schema.ts'
import { lengthPrefixed } from '../../core/canonical.ts'
import type { CollectionId, Tenant } from '../../core/ids.ts'
import { decodeLexicon, encodeLexicon } from '../../core/lexicon.ts'
import type { Lexicon } from '../../core/lexicon.ts'
import { RagGateError } from '../../errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Collection, CollectionWriter, CorpusChange } from '../../ports/collections.ts'
import { rethrowStoreFault } from './faults.ts'
import { jsonBatches } from './json-batches.ts'
import { lexiconDigest, lexiconIdPrefix, partsOf } from './lexicon-parts.ts'

export interface D1CollectionsOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * How long a copy of a collection answers instead of the database, in milliseconds: how long another isolate may miss
   * a publish. 0..60,000; 0 asks every time.
   *
   * @default 10_000
   */
  readonly copyMaxAgeMs?: number
  /** @default the platform's clock */
  readonly clock?: Clock
}

const DEFAULT_COPY_MAX_AGE_MS = 10_000
const LONGEST_COPY_MAX_AGE_MS = 60_000
/** A superseded lexicon stays for twice the longest life of a copy that may still name it. */
const KEEP_SUPERSEDED_MS = 2 * LONGEST_COPY_MAX_AGE_MS
const MAX_COPIES = 1_000
/** A lexicon of a large collection takes megabytes, and an isolate has 128. */
const MAX_LEXICONS = 4

const { updatedAtMs: _, ...COLLECTION } = getTableColumns(collections)

/**
 * Collections in D1. Copies of rows and lexicons are kept in the isolate; a publish through this object overwrites the
 * copy. A collection that does not exist is asked for every time, so that it is found as soon as it does. Errors of D1
 * itself become `schema_outdated` or `store_unavailable`.
 *
 * @throws `config_invalid` when `copyMaxAgeMs` is out of range
 */
export function createD1Collections({
  db,
  copyMaxAgeMs = DEFAULT_COPY_MAX_AGE_MS,
  clock = { nowMs: () => Date.now() },
}: D1CollectionsOptions): CollectionWriter {
  if (!(copyMaxAgeMs >= 0 && copyMaxAgeMs <= LONGEST_COPY_MAX_AGE_MS)) {
    throw new RagGateError('config_invalid', 'copyMaxAgeMs must lie in 0..60,000', { param: 'copyMaxAgeMs' })
  }
  const queries = drizzle(db)
  const copies = new Map<string, { readonly collection: Collection; readonly readAtMs: number }>()
  const readLexicons = new Map<string, Lexicon>()

  /** Keeps a row as it was when the reading began, unless a later version came in meanwhile. */
  function keepCopy(collection: Collection, readAtMs: number): Collection {
    const key = lengthPrefixed([collection.tenant, collection.id])
    const held = copies.get(key)
    if (held !== undefined && isFresh(held.readAtMs) && held.collection.corpusVersion > collection.corpusVersion) {
      return held.collection
    }
    keepNewest(copies, key, { collection, readAtMs }, MAX_COPIES)
    return collection
  }

  function isFresh(readAtMs: number): boolean {
    const ageMs = clock.nowMs() - readAtMs
    return ageMs >= 0 && ageMs < copyMaxAgeMs
  }

  async function read(tenant: Tenant, id: CollectionId): Promise<Collection | null> {
    const row = await queries
      .select(COLLECTION)
      .from(collections)
      .where(and(eq(collections.tenant, tenant), eq(collections.id, id)))
      .get()
      .catch(rethrowStoreFault)
    return row ?? null
  }

  return {
    async find(tenant, id) {
      const key = lengthPrefixed([tenant, id])
      const held = copies.get(key)
      if (held !== undefined && isFresh(held.readAtMs)) return held.collection
      copies.delete(key)
      const readAtMs = clock.nowMs()
      const collection = await read(tenant, id)
      return collection === null ? null : keepCopy(collection, readAtMs)
    },

    async findFresh(tenant, id) {
      const readAtMs = clock.nowMs()
      const collection = await read(tenant, id)
      if (collection === null) copies.delete(lengthPrefixed([tenant, id]))
      else keepCopy(collection, readAtMs)
      return collection
    },

    async lexicon(lexiconId) {
      const held = readLexicons.get(lexiconId)
      const lexicon = held ?? decodeLexicon(await readLexiconText(lexiconId))
      keepNewest(readLexicons, lexiconId, lexicon, MAX_LEXICONS)
      return lexicon
    },

    async documents(tenant, id, documentIds) {
      const found = new Map<string, { id: string; contentHash: string; chunkIds: readonly string[] }>()
      for (const asked of jsonBatches(new Set(documentIds))) {
        const rows = await queries
          .select({ id: documents.id, contentHash: documents.contentHash, chunkIds: documents.chunkIds })
          .from(documents)
          .where(
            and(
              eq(documents.tenant, tenant),
              eq(documents.collection, id),
              sql`${documents.id} IN (SELECT value FROM json_each(${asked}))`,
            ),
          )
          .catch(rethrowStoreFault)
        for (const row of rows) found.set(row.id, row)
      }
      return [...new Set(documentIds)].flatMap((documentId) => found.get(documentId) ?? [])
    },

    async publish(change) {
      const text = encodeLexicon(change.lexicon)
      const lexiconId = `${lexiconIdPrefix(change.tenant, change.id)}${await lexiconDigest(text)}`
      const readAtMs = clock.nowMs()
      // One transaction: when one of them fails, D1 takes back what the others did.
      const statements = [
        insertCollection(db, change),
        supersedeLexicon(db, change, lexiconId),
        raiseVersion(db, change, lexiconId),
        ...partsOf(text).map((body, part) => storeLexiconPart(db, lexiconId, part, body)),
        ...jsonBatches(change.documents).map((batch) => storeDocuments(db, change, batch)),
        dropLexicons(db, change),
      ]
      const [, , raised] = await db.batch<Collection>(statements).catch((thrown: unknown) => {
        if (!isVersionConflict(thrown)) rethrowStoreFault(thrown)
        copies.delete(lengthPrefixed([change.tenant, change.id]))
        throw new RagGateError('collection_conflict', 'The collection was changed by another writer', { cause: thrown })
      })
      keepNewest(readLexicons, lexiconId, change.lexicon, MAX_LEXICONS)
      // There is a row: `insertCollection` ran before `raiseVersion`, which returns it by the names of `Collection`.
      const published = raised!.results[0]!
      keepCopy(published, readAtMs)
      return published
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
    if (parts.length === 0 || !lexiconId.endsWith(`-${await lexiconDigest(text)}`)) {
      throw new RagGateError('lexicon_unreadable', 'The collection lexicon is missing or damaged')
    }
    return text
  }
}

/** Makes sure that there is a row to raise the version of: a collection nobody published stands at 0. */
function insertCollection(db: D1Database, change: CorpusChange): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, updated_at_ms)
       VALUES (?1, ?2, 0, ?3, ?4, ?5) ON CONFLICT (tenant, id) DO NOTHING`,
    )
    .bind(change.tenant, change.id, change.embeddingModel, change.dimension, change.atMs)
}

/** Notes since when the present lexicon is the former one. Runs while the row still names it. */
function supersedeLexicon(db: D1Database, change: CorpusChange, lexiconId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE lexicons SET superseded_at_ms = ?1 WHERE part = 0 AND id <> ?2
       AND id = (SELECT lexicon_id FROM collections WHERE tenant = ?3 AND id = ?4)`,
    )
    .bind(change.atMs, lexiconId, change.tenant, change.id)
}

/**
 * Raises the version by one. From any other version than the one the change was made from, it would become NULL, which
 * its column forbids: the statement fails, and with it the transaction.
 */
function raiseVersion(db: D1Database, change: CorpusChange, lexiconId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE collections SET corpus_version = CASE corpus_version WHEN ?1 THEN corpus_version + 1 END,
         lexicon_id = ?2, embedding_model = ?3, dimension = ?4, updated_at_ms = ?5
       WHERE tenant = ?6 AND id = ?7
       RETURNING tenant, id, corpus_version AS "corpusVersion", lexicon_id AS "lexiconId",
         embedding_model AS "embeddingModel", dimension, policy_id AS "policyId"`,
    )
    .bind(change.fromVersion, lexiconId, change.embeddingModel, change.dimension, change.atMs, change.tenant, change.id)
}

function isVersionConflict(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes('NOT NULL constraint failed: collections.corpus_version')
}

/** Stores a part; one that is there already (the corpus went back to what it was) counts as present again. */
function storeLexiconPart(db: D1Database, lexiconId: string, part: number, body: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO lexicons (id, part, body) VALUES (?1, ?2, ?3)
       ON CONFLICT (id, part) DO UPDATE SET body = excluded.body, superseded_at_ms = NULL`,
    )
    .bind(lexiconId, part, body)
}

function storeDocuments(db: D1Database, change: CorpusChange, batch: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO documents (tenant, collection, id, content_hash, chunk_ids, updated_at_ms)
       SELECT ?1, ?2, json_extract(value, '$.id'), json_extract(value, '$.contentHash'),
         json_extract(value, '$.chunkIds'), ?3
       FROM json_each(?4) WHERE true
       ON CONFLICT (tenant, collection, id) DO UPDATE SET content_hash = excluded.content_hash,
         chunk_ids = excluded.chunk_ids, updated_at_ms = excluded.updated_at_ms`,
    )
    .bind(change.tenant, change.id, change.atMs, batch)
}

/** Deletes the lexicons of the collection that no copy can name any more. */
function dropLexicons(db: D1Database, change: CorpusChange): D1PreparedStatement {
  const prefix = lexiconIdPrefix(change.tenant, change.id)
  return db
    .prepare(
      `DELETE FROM lexicons WHERE id IN (
         SELECT id FROM lexicons WHERE id >= ?1 AND id < ?2 AND part = 0 AND superseded_at_ms < ?3
       )`,
    )
    .bind(prefix, `${prefix}~`, change.atMs - KEEP_SUPERSEDED_MS)
}

/** Keeps a value as the newest of a map, and as many others as there is room for. */
function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value, room: number): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= room) return
    map.delete(oldest)
  }
}
