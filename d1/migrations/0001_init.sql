-- Everything the gate keeps in D1. `schema.ts` describes the same tables to the queries; a test holds the two together.
-- Times are milliseconds since 1970. An `hour` is the time at which an hour of UTC begins.

-- What is searched, and at which version it stands. `corpus_version` may not be NULL: a publish that starts from
-- another version than the stored one, or comes from a writer that lost its turn, sets it to NULL, which takes its whole
-- transaction back. Version 0 is a collection that nobody has published yet: readers do not see it. `writer` is who may
-- change the collection until `writer_until_ms`. `scale` is what it learned from its own documents, as JSON.
CREATE TABLE collections (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  corpus_version INTEGER NOT NULL,
  lexicon_id TEXT,
  embedding_model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  policy_id TEXT,
  scale TEXT,
  updated_at_ms INTEGER NOT NULL,
  writer TEXT,
  writer_until_ms INTEGER,
  PRIMARY KEY (tenant, id)
) STRICT;

-- Chunks that may stand in the index though no published document has them: written and not published yet, or published
-- out and not removed yet. Never evidence. Whoever writes next removes them from the index first.
CREATE TABLE unpublished_chunks (
  tenant TEXT NOT NULL,
  collection TEXT NOT NULL,
  chunk_id TEXT NOT NULL,
  since_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, collection, chunk_id)
) STRICT, WITHOUT ROWID;

-- Collection lexicons, in parts because a D1 string ends at 2 MB. A lexicon is never changed; `superseded_at_ms`, kept
-- on part 0 alone, says since when no collection points to it any more.
CREATE TABLE lexicons (
  id TEXT NOT NULL,
  part INTEGER NOT NULL,
  body TEXT NOT NULL,
  superseded_at_ms INTEGER,
  PRIMARY KEY (id, part)
) STRICT;

-- `embedding_model` and `dimension` are those that a document was embedded with.
CREATE TABLE documents (
  tenant TEXT NOT NULL,
  collection TEXT NOT NULL,
  id TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  chunk_ids TEXT NOT NULL,
  embedding_model TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, collection, id)
) STRICT;

-- Keys of tenants. Of a secret only its SHA-256 is kept. `scopes` is a JSON list.
CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT;

CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created_at_ms, id);

-- What a tenant's collections are judged by, where the collection says nothing. `policy_id` names a policy of the Worker.
CREATE TABLE tenants (
  id TEXT NOT NULL PRIMARY KEY,
  policy_id TEXT
) STRICT;

-- Answers to writes that came with an Idempotency-Key. While the first of them runs, `status` is NULL.
CREATE TABLE idempotency_keys (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  claim TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  status INTEGER,
  body TEXT,
  PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_time ON idempotency_keys (at_ms);

-- Passages of an index that has no room for their texts, each as JSON.
CREATE TABLE chunk_texts (
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  passage TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT;
