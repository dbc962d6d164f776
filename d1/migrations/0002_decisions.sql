-- Decisions, and everything that is counted of them. Delivery is at least once; counting is exactly once, because every
-- count below is kept by a trigger that fires only for rows that were really inserted.

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
  -- A further round of retrieval, as JSON.
  expansion TEXT,
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
CREATE INDEX decisions_by_decision ON decisions (decision_id);

-- What the statistics read: their cost follows the length of the period, not the traffic. Each decision is counted in
-- its UTC hour (span_ms 3,600,000) and in its UTC day (86,400,000), so that a year is read by days.
-- confidence_bins: events by twentieth of confidence, 0 to 19, as a JSON object.
-- latency_bins: events by bin k of the total time, over 1.1^(k-1) up to 1.1^k milliseconds, as a JSON object; any
-- percentile read from it is within 5 % of the true one.
CREATE TABLE decision_rollups (
  tenant TEXT NOT NULL,
  span_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  collection TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  verdict TEXT NOT NULL,
  band TEXT NOT NULL,
  cache TEXT NOT NULL,
  reason TEXT NOT NULL,
  mode TEXT NOT NULL,
  events INTEGER NOT NULL,
  confidence_count INTEGER NOT NULL,
  confidence_sum REAL NOT NULL,
  total_ms_count INTEGER NOT NULL,
  total_ms_sum REAL NOT NULL,
  retrieval_ms_count INTEGER NOT NULL,
  retrieval_ms_sum REAL NOT NULL,
  generation_ms_count INTEGER NOT NULL,
  generation_ms_sum REAL NOT NULL,
  model_calls INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  escalated INTEGER NOT NULL,
  expanded INTEGER NOT NULL,
  confidence_bins TEXT NOT NULL,
  latency_bins TEXT NOT NULL,
  -- Calls not made, by what; of those whose tokens were measured, and whose were estimated, how many and how many tokens;
  -- of those that have a price, how many, and the amounts.
  saved_by_refusal INTEGER NOT NULL,
  saved_by_cache INTEGER NOT NULL,
  saved_measured INTEGER NOT NULL,
  saved_measured_input INTEGER NOT NULL,
  saved_measured_output INTEGER NOT NULL,
  saved_estimated INTEGER NOT NULL,
  saved_estimated_input INTEGER NOT NULL,
  saved_estimated_output INTEGER NOT NULL,
  saved_priced INTEGER NOT NULL,
  saved_model_cost REAL NOT NULL,
  saved_retrieval_cost REAL NOT NULL,
  -- The largest share of an answer's support that one passage has, of decisions that judged it: how many, and their sum.
  -- A judged answer without shares counts as 0, as the specification counts refusals.
  evidence_share_count INTEGER NOT NULL,
  evidence_share_sum REAL NOT NULL,
  PRIMARY KEY (tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode)
) STRICT, WITHOUT ROWID;

-- Deleting decisions leaves the counts alone.
CREATE TRIGGER decisions_are_counted AFTER INSERT ON decisions
BEGIN
  INSERT INTO decision_rollups (
    tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode,
    events, confidence_count, confidence_sum, total_ms_count, total_ms_sum, retrieval_ms_count, retrieval_ms_sum,
    generation_ms_count, generation_ms_sum, model_calls, input_tokens, output_tokens, escalated, expanded,
    confidence_bins, latency_bins,
    saved_by_refusal, saved_by_cache, saved_measured, saved_measured_input, saved_measured_output,
    saved_estimated, saved_estimated_input, saved_estimated_output, saved_priced, saved_model_cost, saved_retrieval_cost,
    evidence_share_count, evidence_share_sum
  )
  SELECT
    NEW.tenant, span.ms, NEW.at_ms - NEW.at_ms % span.ms, NEW.collection, NEW.policy_id, NEW.verdict, NEW.band,
    NEW.cache, NEW.reason, NEW.mode,
    1,
    NEW.confidence IS NOT NULL, coalesce(NEW.confidence, 0.0),
    NEW.total_ms IS NOT NULL, coalesce(NEW.total_ms, 0.0),
    NEW.retrieval_ms IS NOT NULL, coalesce(NEW.retrieval_ms, 0.0),
    NEW.generation_ms IS NOT NULL, coalesce(NEW.generation_ms, 0.0),
    NEW.model IS NOT NULL,
    coalesce(NEW.input_tokens, 0), coalesce(NEW.output_tokens, 0),
    coalesce(NEW.escalate, 0), NEW.expansion IS NOT NULL,
    iif(NEW.confidence IS NULL, '{}', json_object(CAST(bin.confidence AS TEXT), 1)),
    iif(NEW.total_ms IS NULL, '{}', json_object(CAST(bin.latency AS TEXT), 1)),
    coalesce(saved.kind = 'refusal', 0), coalesce(saved.kind = 'cache', 0),
    iif(saved.estimated, 0, saved.input IS NOT NULL), iif(saved.estimated, 0, coalesce(saved.input, 0)),
    iif(saved.estimated, 0, coalesce(saved.output, 0)),
    saved.estimated, iif(saved.estimated, coalesce(saved.input, 0), 0), iif(saved.estimated, coalesce(saved.output, 0), 0),
    saved.model_cost IS NOT NULL, coalesce(saved.model_cost, 0.0), coalesce(saved.retrieval_cost, 0.0),
    found.share IS NOT NULL, coalesce(found.share, 0.0)
  FROM
    (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span,
    (
      SELECT
        max(0, min(19, CAST(NEW.confidence * 20 + 1e-9 AS INTEGER))) AS confidence,
        min(130, CAST(ceil(ln(max(NEW.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) AS latency
    ) AS bin,
    (
      SELECT
        NEW.saved ->> 'by' AS kind, NEW.saved ->> 'inputTokens' AS input, NEW.saved ->> 'outputTokens' AS output,
        coalesce(NEW.saved ->> 'estimated', 0) AS estimated,
        NEW.saved ->> 'modelCost' AS model_cost, NEW.saved ->> 'retrievalCost' AS retrieval_cost
    ) AS saved,
    (
      SELECT max(coalesce(finding.value ->> 'actual', 0.0)) AS share
      FROM json_each(iif(NEW.answer_signals IS NULL, '[]', NEW.findings)) AS finding
      WHERE finding.value ->> 'gate' = 'evidence-share'
    ) AS found
  WHERE true
  ON CONFLICT (tenant, span_ms, start_ms, collection, policy_id, verdict, band, cache, reason, mode) DO UPDATE SET
    events = events + 1,
    confidence_count = confidence_count + excluded.confidence_count,
    confidence_sum = confidence_sum + excluded.confidence_sum,
    total_ms_count = total_ms_count + excluded.total_ms_count,
    total_ms_sum = total_ms_sum + excluded.total_ms_sum,
    retrieval_ms_count = retrieval_ms_count + excluded.retrieval_ms_count,
    retrieval_ms_sum = retrieval_ms_sum + excluded.retrieval_ms_sum,
    generation_ms_count = generation_ms_count + excluded.generation_ms_count,
    generation_ms_sum = generation_ms_sum + excluded.generation_ms_sum,
    model_calls = model_calls + excluded.model_calls,
    input_tokens = input_tokens + excluded.input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    escalated = escalated + excluded.escalated,
    expanded = expanded + excluded.expanded,
    confidence_bins = iif(NEW.confidence IS NULL, confidence_bins, json_set(
      confidence_bins,
      '$."' || max(0, min(19, CAST(NEW.confidence * 20 + 1e-9 AS INTEGER))) || '"',
      coalesce(json_extract(
        confidence_bins, '$."' || max(0, min(19, CAST(NEW.confidence * 20 + 1e-9 AS INTEGER))) || '"'
      ), 0) + 1
    )),
    latency_bins = iif(NEW.total_ms IS NULL, latency_bins, json_set(
      latency_bins,
      '$."' || min(130, CAST(ceil(ln(max(NEW.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) || '"',
      coalesce(json_extract(
        latency_bins, '$."' || min(130, CAST(ceil(ln(max(NEW.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) || '"'
      ), 0) + 1
    )),
    saved_by_refusal = saved_by_refusal + excluded.saved_by_refusal,
    saved_by_cache = saved_by_cache + excluded.saved_by_cache,
    saved_measured = saved_measured + excluded.saved_measured,
    saved_measured_input = saved_measured_input + excluded.saved_measured_input,
    saved_measured_output = saved_measured_output + excluded.saved_measured_output,
    saved_estimated = saved_estimated + excluded.saved_estimated,
    saved_estimated_input = saved_estimated_input + excluded.saved_estimated_input,
    saved_estimated_output = saved_estimated_output + excluded.saved_estimated_output,
    saved_priced = saved_priced + excluded.saved_priced,
    saved_model_cost = saved_model_cost + excluded.saved_model_cost,
    saved_retrieval_cost = saved_retrieval_cost + excluded.saved_retrieval_cost,
    evidence_share_count = evidence_share_count + excluded.evidence_share_count,
    evidence_share_sum = evidence_share_sum + excluded.evidence_share_sum;
END;

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

CREATE TRIGGER weak_questions_are_counted AFTER INSERT ON decisions
WHEN NEW.question_hmac IS NOT NULL AND NEW.verdict <> 'pass'
BEGIN
  INSERT INTO question_days (
    tenant, day_ms, collection, question_hmac, hmac_key_id, refused, advised, last_ms, last_reason
  )
  VALUES (
    NEW.tenant, NEW.at_ms - NEW.at_ms % 86400000, NEW.collection, NEW.question_hmac, coalesce(NEW.hmac_key_id, ''),
    NEW.verdict = 'refuse', NEW.verdict = 'advise', NEW.at_ms, NEW.reason
  )
  ON CONFLICT (tenant, day_ms, collection, question_hmac) DO UPDATE SET
    refused = refused + excluded.refused,
    advised = advised + excluded.advised,
    last_reason = iif(excluded.last_ms >= last_ms, excluded.last_reason, last_reason),
    last_ms = max(last_ms, excluded.last_ms);
END;

-- How confident the decisions were that a document led, by week. Answers from the cache repeat an older decision and do
-- not count. A week begins on Monday: 345,600,000 is the first of 1970.
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

CREATE TRIGGER leading_documents_are_counted AFTER INSERT ON decisions
WHEN NEW.confidence IS NOT NULL AND NEW.cache IN ('miss', 'bypass')
  AND json_extract(NEW.document_ids, '$[0]') IS NOT NULL
BEGIN
  INSERT INTO document_weeks (
    tenant, week_ms, collection, document_id, decisions, advised, refused, confidence_sum
  )
  VALUES (
    NEW.tenant, NEW.at_ms - (NEW.at_ms - 345600000) % 604800000, NEW.collection,
    json_extract(NEW.document_ids, '$[0]'),
    1, NEW.verdict = 'advise', NEW.verdict = 'refuse', NEW.confidence
  )
  ON CONFLICT (tenant, week_ms, collection, document_id) DO UPDATE SET
    decisions = decisions + 1,
    advised = advised + excluded.advised,
    refused = refused + excluded.refused,
    confidence_sum = confidence_sum + excluded.confidence_sum;
END;

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

CREATE TRIGGER isolates_are_counted AFTER INSERT ON decisions
BEGIN
  INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
  VALUES (NEW.isolate, NEW.at_ms, NEW.at_ms, NEW.sequence, 1, 0, 0)
  ON CONFLICT (id) DO UPDATE SET
    first_ms = min(first_ms, excluded.first_ms),
    last_ms = max(last_ms, excluded.last_ms),
    highest_sequence = max(highest_sequence, excluded.highest_sequence),
    recorded = recorded + 1;
END;

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
