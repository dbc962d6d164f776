-- A decision is two rows written, itself and one entry of an index, and nothing is left of one that was removed.

DROP VIEW decision_batches;
DROP VIEW uncounted_decisions;

-- `place` is the order of arrival, by which decisions are counted: a column, so that an export keeps it. An event is known by
-- tenant, time and id; what asks by the id alone knows the time from it, as a UUIDv7.
CREATE TABLE decisions_by_place (
  place INTEGER NOT NULL PRIMARY KEY,
  id TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  collection TEXT NOT NULL,
  corpus_version INTEGER NOT NULL,
  policy_id TEXT NOT NULL,
  mode TEXT NOT NULL,
  route TEXT NOT NULL,
  verdict TEXT NOT NULL,
  band TEXT NOT NULL,
  confidence REAL,
  reason TEXT NOT NULL,
  cache TEXT NOT NULL,
  status INTEGER NOT NULL,
  ranked_by TEXT NOT NULL,
  signals TEXT NOT NULL,
  findings TEXT NOT NULL,
  evidence_ids TEXT NOT NULL,
  document_ids TEXT NOT NULL,
  retrieval_ms REAL,
  generation_ms REAL,
  total_ms REAL,
  principal_id TEXT NOT NULL,
  question_hmac TEXT,
  hmac_key_id TEXT,
  model TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  isolate TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  -- What was measured of the answer, for policies that judge answers: no text.
  answer_signals TEXT,
  -- ok, failed, timeout or off: which tier could decide.
  reranker TEXT,
  rerank_ms REAL,
  -- 1 on a refusal that asks for a person.
  escalate INTEGER,
  -- Events for the audit trail, as a JSON list of {type, payload}.
  audit TEXT,
  -- Of a model call that was not made, as JSON: by ('refusal' or 'cache'), inputTokens and outputTokens where they are
  -- known, estimated where they are those of an average call, modelCost and retrievalCost where there are prices.
  saved TEXT,
  -- Names of the fields that were left out because the event was too large for a queue, as a JSON list.
  cut TEXT
) STRICT;

INSERT INTO decisions_by_place (
  place,
  id, decision_id, at_ms, tenant, collection, corpus_version, policy_id, mode, route, verdict, band, confidence,
  reason, cache, status, ranked_by, signals, findings, evidence_ids, document_ids, retrieval_ms, generation_ms,
  total_ms, principal_id, question_hmac, hmac_key_id, model, input_tokens, output_tokens, isolate, sequence,
  answer_signals, reranker, rerank_ms, escalate, audit, saved, cut
)
SELECT
  rowid,
  id, decision_id, at_ms, tenant, collection, corpus_version, policy_id, mode, route, verdict, band, confidence,
  reason, cache, status, ranked_by, signals, findings, evidence_ids, document_ids, retrieval_ms, generation_ms,
  total_ms, principal_id, question_hmac, hmac_key_id, model, input_tokens, output_tokens, isolate, sequence,
  answer_signals, reranker, rerank_ms, escalate, audit, saved, cut
FROM decisions;

-- When the decision was, by which it is found: NULL until it arrived.
ALTER TABLE feedback ADD COLUMN decided_ms INTEGER;
UPDATE feedback SET decided_ms = (SELECT at_ms FROM decisions WHERE id = event_id AND decisions.tenant = feedback.tenant);

-- Decisions of before this moment were removed: what is delivered of them again is neither stored nor counted.
ALTER TABLE counted_decisions ADD COLUMN removed_before_ms INTEGER NOT NULL DEFAULT 0;
UPDATE counted_decisions SET removed_before_ms = (SELECT coalesce(max(at_ms) + 1, 0) FROM removed_decisions);

DROP TABLE decisions;
DROP TABLE removed_decisions;
ALTER TABLE decisions_by_place RENAME TO decisions;

CREATE UNIQUE INDEX decisions_by_time ON decisions (tenant, at_ms, id);

-- SQLite gives the place of a deleted row again where it was the highest: the next row is counted all the same.
CREATE TRIGGER places_are_given_again AFTER DELETE ON decisions
BEGIN
  UPDATE counted_decisions SET place = (SELECT coalesce(max(place), 0) FROM decisions)
  WHERE place > (SELECT coalesce(max(place), 0) FROM decisions);
END;

-- Of an erased principal only that there was one.
CREATE TRIGGER audit_events_are_kept AFTER INSERT ON decisions
WHEN NEW.audit IS NOT NULL
BEGIN
  INSERT INTO audit_events (id, tenant, at_ms, type, decision_id, by, payload)
  SELECT
    NEW.id || ':' || event.key, NEW.tenant, NEW.at_ms, json_extract(event.value, '$.type'), NEW.id, NULL,
    iif(
      EXISTS (
        SELECT 1 FROM erasures
        WHERE tenant = NEW.tenant AND principal_id = NEW.principal_id AND requested_ms >= NEW.at_ms
      ),
      '{}',
      coalesce(json_extract(event.value, '$.payload'), '{}')
    )
  FROM json_each(NEW.audit) AS event
  WHERE json_extract(event.value, '$.type') IS NOT NULL
  ON CONFLICT (id) DO NOTHING;
END;

-- The row stays, so that a further delivery of the event is not counted again; it names nobody and nothing asked.
CREATE TRIGGER erased_principals_stay_erased AFTER INSERT ON decisions
WHEN EXISTS (
  SELECT 1 FROM erasures
  WHERE tenant = NEW.tenant AND principal_id = NEW.principal_id AND requested_ms >= NEW.at_ms
)
BEGIN
  UPDATE decisions SET
    principal_id = '', question_hmac = NULL, hmac_key_id = NULL, evidence_ids = '[]', document_ids = '[]', findings = '[]',
    audit = NULL
  WHERE place = NEW.place;
END;
