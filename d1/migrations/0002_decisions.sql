-- Decisions, and everything that is counted of them. Delivery is at least once; counting is exactly once: batches are stored
-- and counted by a trigger (0005_counting.sql), which counts the rows that were really inserted.

-- One row for every question that was judged or served from the cache. No text of question or answer.
CREATE TABLE decisions (
  id TEXT NOT NULL PRIMARY KEY,
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

-- The list of decisions, newest first; jobs that go through them, oldest first.
CREATE INDEX decisions_by_time ON decisions (tenant, at_ms, id);
-- Only what repeats a decision from the cache: an event that made one has its id.
CREATE INDEX decisions_by_decision ON decisions (decision_id) WHERE decision_id <> id;

-- What the statistics read: their cost follows the length of the period, not the traffic. Each decision is counted in
-- its UTC hour (span_ms 3,600,000) and in its UTC day (86,400,000), so that a year is read by days.
-- counts: a JSON object of sums by name (d1/figures.ts) for each combination of verdict, band, cache state, mode and reason,
-- whose key is a JSON array of them.
CREATE TABLE decision_rollups (
  tenant TEXT NOT NULL,
  span_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  collection TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (tenant, span_ms, start_ms, collection, policy_id)
) STRICT, WITHOUT ROWID;

-- Content gaps: questions, by HMAC, that were refused or answered with a caution, by UTC day.
CREATE TABLE question_days (
  tenant TEXT NOT NULL,
  day_ms INTEGER NOT NULL,
  collection TEXT NOT NULL,
  question_hmac TEXT NOT NULL,
  hmac_key_id TEXT NOT NULL,
  refused INTEGER NOT NULL,
  advised INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  last_reason TEXT NOT NULL,
  PRIMARY KEY (tenant, day_ms, collection, question_hmac)
) STRICT, WITHOUT ROWID;

CREATE INDEX question_days_by_refusals ON question_days (tenant, day_ms, refused);

-- How confident the decisions were that a document led, by week.
CREATE TABLE document_weeks (
  tenant TEXT NOT NULL,
  week_ms INTEGER NOT NULL,
  collection TEXT NOT NULL,
  document_id TEXT NOT NULL,
  decisions INTEGER NOT NULL,
  advised INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  confidence_sum REAL NOT NULL,
  PRIMARY KEY (tenant, week_ms, collection, document_id)
) STRICT, WITHOUT ROWID;

-- What each isolate recorded: its events are numbered 1, 2, 3 …, so highest_sequence - recorded were lost or are on
-- their way. Of those, `dropped` were given up because D1 did not answer, `rejected` because no table takes them.
CREATE TABLE isolates (
  id TEXT NOT NULL PRIMARY KEY,
  first_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  highest_sequence INTEGER NOT NULL,
  recorded INTEGER NOT NULL,
  dropped INTEGER NOT NULL,
  rejected INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX isolates_by_time ON isolates (last_ms);

-- Events that no table takes, one row each however often they are delivered.
CREATE TABLE rejected_events (
  isolate TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (isolate, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX rejected_events_by_time ON rejected_events (at_ms);

CREATE TRIGGER rejected_events_are_counted AFTER INSERT ON rejected_events
BEGIN
  INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
  VALUES (NEW.isolate, NEW.at_ms, NEW.at_ms, NEW.sequence, 0, 0, 1)
  ON CONFLICT (id) DO UPDATE SET
    rejected = rejected + 1,
    last_ms = max(last_ms, excluded.last_ms),
    highest_sequence = max(highest_sequence, excluded.highest_sequence);
END;

-- Decisions that were deleted, such as by retention: a further delivery is known by its id and not counted again.
CREATE TABLE removed_decisions (
  id TEXT NOT NULL PRIMARY KEY,
  at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX removed_decisions_by_time ON removed_decisions (at_ms);

CREATE TRIGGER removed_decisions_are_noted AFTER DELETE ON decisions
BEGIN
  INSERT INTO removed_decisions (id, at_ms) VALUES (OLD.id, OLD.at_ms) ON CONFLICT (id) DO NOTHING;
END;

-- Texts of questions, where the deployment chose to keep them, until `expires_ms`.
CREATE TABLE question_texts (
  tenant TEXT NOT NULL,
  question_hmac TEXT NOT NULL,
  text TEXT NOT NULL,
  expires_ms INTEGER NOT NULL,
  PRIMARY KEY (tenant, question_hmac)
) STRICT, WITHOUT ROWID;

CREATE INDEX question_texts_by_expiry ON question_texts (expires_ms);

-- The audit trail: what gates reported with their decisions, and what operators changed. `by` is a principal's id.
CREATE TABLE audit_events (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  type TEXT NOT NULL,
  decision_id TEXT,
  by TEXT,
  payload TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_events_by_time ON audit_events (tenant, at_ms, id);

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

-- Every policy that decided or was chosen, as JSON.
CREATE TABLE policies (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  first_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests to erase a principal. `decided_until_ms`: the job has gone through the decisions up to there. Events of the
-- principal that arrive later, from a queue, are erased when they arrive.
CREATE TABLE erasures (
  tenant TEXT NOT NULL,
  principal_id TEXT NOT NULL,
  requested_ms INTEGER NOT NULL,
  decided_until_ms INTEGER NOT NULL,
  decided_until_id TEXT NOT NULL,
  erased INTEGER NOT NULL,
  finished_ms INTEGER,
  PRIMARY KEY (tenant, principal_id)
) STRICT, WITHOUT ROWID;

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
  WHERE id = NEW.id;
END;

-- What people say of an answer or a refusal: one label for each answer and each who says it. `verdict`, `policy_id` and
-- `collection` are the decision's, copied, so that labels outlive it; NULL until the decision arrived.
CREATE TABLE feedback (
  event_id TEXT NOT NULL,
  source TEXT NOT NULL,
  tenant TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  rating TEXT NOT NULL,
  comment TEXT,
  principal_id TEXT NOT NULL,
  verdict TEXT,
  policy_id TEXT,
  collection TEXT,
  PRIMARY KEY (event_id, source)
) STRICT, WITHOUT ROWID;

CREATE INDEX feedback_by_time ON feedback (tenant, at_ms, event_id);

-- Alerts, open while `closed_ms` is NULL: at most one of a kind for a tenant.
CREATE TABLE alerts (
  id TEXT NOT NULL PRIMARY KEY,
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  opened_ms INTEGER NOT NULL,
  closed_ms INTEGER,
  value REAL NOT NULL,
  bound REAL NOT NULL,
  decisions INTEGER NOT NULL,
  message TEXT NOT NULL,
  -- 1 until the webhook was told of the opening, or of the closing.
  untold INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX alerts_open ON alerts (tenant, kind) WHERE closed_ms IS NULL;
CREATE INDEX alerts_by_time ON alerts (tenant, opened_ms);
CREATE INDEX alerts_untold ON alerts (untold) WHERE untold = 1;
