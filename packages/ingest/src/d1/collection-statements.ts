/** The statements that change a collection. Each is one step of a transaction. */
import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import type { CollectionId, CorpusVersion, Tenant } from 'hono-rag-gate/core/lib'
import type { CollectionName, CorpusChange, Writer } from '../collection-writer.ts'
import { lexiconIdPrefix } from './lexicon-parts.ts'

/** A superseded lexicon stays for twice the longest life of a copy that may still name it. */
const KEEP_SUPERSEDED_MS = 120_000

/** Makes sure that there is a row: a collection without a publication stands at 0. */
export function insertCollection(db: D1Database, tenant: Tenant, id: CollectionId, atMs: number): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO collections (tenant, id, corpus_version, embedding_model, dimension, updated_at_ms)
       VALUES (?1, ?2, 0, '', 0, ?3) ON CONFLICT (tenant, id) DO NOTHING`,
    )
    .bind(tenant, id, atMs)
}

/**
 * Gives the turn to a writer, if it is free or has run out. One that ends later than any writer may ask for was given by a
 * clock that was set back since: it has run out too. Returns the row when it does.
 */
export function takeLease(db: D1Database, tenant: Tenant, id: CollectionId, writer: Writer): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE collections SET writer = ?1, writer_until_ms = ?2
       WHERE tenant = ?3 AND id = ?4 AND (writer IS NULL OR writer = ?1 OR writer_until_ms NOT BETWEEN ?5 + 1 AND ?6) RETURNING id`,
    )
    .bind(writer.id, writer.untilMs, tenant, id, writer.atMs, writer.untilMs + (writer.untilMs - writer.atMs))
}

/** Prolongs a turn that the writer still has. Returns the row when it does. */
export function keepLease(db: D1Database, tenant: Tenant, id: CollectionId, writer: Writer): D1PreparedStatement {
  return db
    .prepare(`UPDATE collections SET writer_until_ms = ?1 WHERE tenant = ?2 AND id = ?3 AND writer = ?4 RETURNING id`)
    .bind(writer.untilMs, tenant, id, writer.id)
}

/** Ends a lease that the writer still has. */
export function endLease(db: D1Database, tenant: Tenant, id: CollectionId, writerId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE collections SET writer = NULL, writer_until_ms = NULL WHERE tenant = ?1 AND id = ?2 AND writer = ?3`,
    )
    .bind(tenant, id, writerId)
}

/** Until when a writer has its lease. */
export function readLease(db: D1Database, tenant: Tenant, id: CollectionId): D1PreparedStatement {
  return db
    .prepare(`SELECT writer_until_ms AS "untilMs" FROM collections WHERE tenant = ?1 AND id = ?2`)
    .bind(tenant, id)
}

/**
 * Puts chunks on record as unpublished, if the writer has the lease and the collection is at this version: a call that
 * arrives twice does nothing once the chunks are published. `batch` is a JSON list of ids.
 */
export function recordUnpublished(
  db: D1Database,
  tenant: Tenant,
  id: CollectionId,
  writer: Pick<Writer, 'id' | 'atMs'>,
  version: CorpusVersion,
  batch: string,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO unpublished_chunks (tenant, collection, chunk_id, since_ms)
       SELECT ?1, ?2, value, ?3 FROM json_each(?4)
       WHERE EXISTS (
         SELECT 1 FROM collections WHERE tenant = ?1 AND id = ?2 AND writer = ?5 AND corpus_version = ?6)
       ON CONFLICT (tenant, collection, chunk_id) DO NOTHING`,
    )
    .bind(tenant, id, writer.atMs, batch, writer.id, version)
}

/** Puts chunks that no document has on that record, independent of the lease. `batch` is a JSON list of ids. */
export function recordAbandoned(
  db: D1Database,
  tenant: Tenant,
  id: CollectionId,
  atMs: number,
  batch: string,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO unpublished_chunks (tenant, collection, chunk_id, since_ms)
       SELECT ?1, ?2, value, ?3 FROM json_each(?4)
       WHERE value NOT IN (
         SELECT published.value FROM documents, json_each(documents.chunk_ids) AS published
         WHERE documents.tenant = ?1 AND documents.collection = ?2
       )
       ON CONFLICT (tenant, collection, chunk_id) DO NOTHING`,
    )
    .bind(tenant, id, atMs, batch)
}

/** Takes chunks off that record, but those that came on it between two times, if the writer has the lease. `batch` is a JSON list of ids. */
export function dropUnpublished(
  db: D1Database,
  tenant: Tenant,
  id: CollectionId,
  writerId: string,
  batch: string,
  except = { fromMs: 0, toMs: -1 },
): D1PreparedStatement {
  return db
    .prepare(
      `DELETE FROM unpublished_chunks WHERE tenant = ?1 AND collection = ?2 AND since_ms NOT BETWEEN ?5 AND ?6
         AND chunk_id IN (SELECT value FROM json_each(?3))
         AND EXISTS (SELECT 1 FROM collections WHERE tenant = ?1 AND id = ?2 AND writer = ?4)`,
    )
    .bind(tenant, id, batch, writerId, except.fromMs, except.toMs)
}

/** Notes since when the present lexicon is the former one. Runs while the row still names it. */
export function supersedeLexicon(db: D1Database, change: CorpusChange, lexiconId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE lexicons SET superseded_at_ms = ?1 WHERE part = 0 AND id <> ?2
       AND id = (SELECT lexicon_id FROM collections WHERE tenant = ?3 AND id = ?4)`,
    )
    .bind(change.atMs, lexiconId, change.tenant, change.id)
}

/**
 * Raises the version by one. From any other version than the one the change was made from, or without the lease, it would
 * become NULL, which its column forbids: the statement fails, and with it the transaction.
 */
export function raiseVersion(db: D1Database, change: CorpusChange, lexiconId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE collections SET
         corpus_version = CASE WHEN corpus_version = ?1 AND writer = ?6 THEN corpus_version + 1 END,
         lexicon_id = ?2, updated_at_ms = ?3
       WHERE tenant = ?4 AND id = ?5`,
    )
    .bind(change.fromVersion, lexiconId, change.atMs, change.tenant, change.id, change.writerId)
}

/**
 * Notes how the collection is embedded, once every document of it is: while some are still embedded by another model, it
 * stays the other's, and the index that has moved on is not searched. Runs when the documents are stored.
 */
export function noteEmbedding(db: D1Database, change: CorpusChange): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE collections SET embedding_model = ?1, dimension = ?2
       WHERE tenant = ?3 AND id = ?4 AND NOT EXISTS (
         SELECT 1 FROM documents WHERE tenant = ?3 AND collection = ?4 AND (embedding_model <> ?1 OR dimension <> ?2))`,
    )
    .bind(change.embeddingModel, change.dimension, change.tenant, change.id)
}

export function isVersionConflict(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.includes('NOT NULL constraint failed: collections.corpus_version')
}

/** Stores a part; one that is there already (the corpus went back to what it was) counts as present again. */
export function storeLexiconPart(db: D1Database, lexiconId: string, part: number, body: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO lexicons (id, part, body) VALUES (?1, ?2, ?3)
       ON CONFLICT (id, part) DO UPDATE SET body = excluded.body, superseded_at_ms = NULL`,
    )
    .bind(lexiconId, part, body)
}

export function storeDocuments(db: D1Database, change: CorpusChange, batch: string): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO documents
         (tenant, collection, id, content_hash, chunk_ids, embedding_model, dimension, updated_at_ms)
       SELECT ?1, ?2, json_extract(value, '$.id'), json_extract(value, '$.contentHash'),
         json_extract(value, '$.chunkIds'), ?5, ?6, ?3
       FROM json_each(?4) WHERE true
       ON CONFLICT (tenant, collection, id) DO UPDATE SET content_hash = excluded.content_hash,
         chunk_ids = excluded.chunk_ids, embedding_model = excluded.embedding_model, dimension = excluded.dimension,
         updated_at_ms = excluded.updated_at_ms`,
    )
    .bind(change.tenant, change.id, change.atMs, batch, change.embeddingModel, change.dimension)
}

/** Removes records of documents. `batch` is a JSON list of ids. */
export function dropDocuments(db: D1Database, change: CorpusChange, batch: string): D1PreparedStatement {
  return db
    .prepare(`DELETE FROM documents WHERE tenant = ?1 AND collection = ?2 AND id IN (SELECT value FROM json_each(?3))`)
    .bind(change.tenant, change.id, batch)
}

/** Deletes the lexicons of the collection that no copy can name any more. */
export function dropLexicons(db: D1Database, change: CorpusChange): D1PreparedStatement {
  const prefix = lexiconIdPrefix(change.tenant, change.id)
  return db
    .prepare(
      `DELETE FROM lexicons WHERE id IN (
         SELECT id FROM lexicons WHERE id >= ?1 AND id < ?2 AND part = 0 AND superseded_at_ms < ?3
       )`,
    )
    .bind(prefix, `${prefix}~`, change.atMs - KEEP_SUPERSEDED_MS)
}

/** Collections with unpublished chunks and without a writer. */
export function readAbandoned(db: D1Database, atMs: number, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT DISTINCT u.tenant, u.collection AS id FROM unpublished_chunks AS u
       JOIN collections AS c ON c.tenant = u.tenant AND c.id = u.collection
       WHERE c.writer IS NULL OR c.writer_until_ms <= ?1 ORDER BY 1, 2 LIMIT ?2`,
    )
    .bind(atMs, limit)
}

/**
 * Ids of published chunks in the order of the ids. Chunks are named by hashes, so the first of them lie anywhere in the
 * documents.
 */
export function readSample(db: D1Database, tenant: Tenant, id: CollectionId, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT chunk.value AS id FROM documents, json_each(documents.chunk_ids) AS chunk
       WHERE documents.tenant = ?1 AND documents.collection = ?2 ORDER BY 1 LIMIT ?3`,
    )
    .bind(tenant, id, limit)
}

/** Published chunks, and those of documents that were stored since. */
export function readCounts(db: D1Database, tenant: Tenant, id: CollectionId, sinceMs: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT coalesce(sum(json_array_length(chunk_ids)), 0) AS chunks,
         coalesce(sum(CASE WHEN updated_at_ms > ?3 THEN json_array_length(chunk_ids) ELSE 0 END), 0) AS changed
       FROM documents WHERE tenant = ?1 AND collection = ?2`,
    )
    .bind(tenant, id, sinceMs)
}

/** Published collections in the order of their keys. */
export function readCollections(db: D1Database, after: CollectionName, limit: number): D1PreparedStatement {
  return db
    .prepare(
      `SELECT tenant, id FROM collections WHERE (tenant, id) > (?1, ?2) AND corpus_version > 0 ORDER BY tenant, id LIMIT ?3`,
    )
    .bind(after.tenant, after.id, limit)
}
