-- Written by `npm run figures` from d1/figures.ts and d1/counting.ts: change those, not this.

DROP VIEW IF EXISTS decision_batches;

DROP VIEW IF EXISTS uncounted_decisions;

CREATE VIEW decision_batches (events, place) AS SELECT NULL, NULL WHERE false;

CREATE TRIGGER decisions_are_stored INSTEAD OF INSERT ON decision_batches
BEGIN
  -- ON CONFLICT DO NOTHING rather than INSERT OR IGNORE: the latter would also pass over a row that breaks another rule. What
  -- is older than what was removed was counted, and is left alone as well.
  INSERT INTO decisions (id, decision_id, at_ms, tenant, collection, corpus_version, policy_id, mode, route, verdict, band, confidence, reason, cache, status, ranked_by, signals, findings, evidence_ids, document_ids, retrieval_ms, generation_ms, total_ms, principal_id, question_hmac, hmac_key_id, model, input_tokens, output_tokens, isolate, sequence, answer_signals, reranker, rerank_ms, escalate, audit, saved, cut)
  SELECT
    event.value ->> 'id', event.value ->> 'decision_id', event.value ->> 'at_ms', event.value ->> 'tenant', event.value ->> 'collection', event.value ->> 'corpus_version', event.value ->> 'policy_id', event.value ->> 'mode', event.value ->> 'route', event.value ->> 'verdict', event.value ->> 'band', event.value ->> 'confidence', event.value ->> 'reason', event.value ->> 'cache', event.value ->> 'status', event.value ->> 'ranked_by', event.value ->> 'signals', event.value ->> 'findings', event.value ->> 'evidence_ids', event.value ->> 'document_ids', event.value ->> 'retrieval_ms', event.value ->> 'generation_ms', event.value ->> 'total_ms', event.value ->> 'principal_id', event.value ->> 'question_hmac', event.value ->> 'hmac_key_id', event.value ->> 'model', event.value ->> 'input_tokens', event.value ->> 'output_tokens', event.value ->> 'isolate', event.value ->> 'sequence', event.value ->> 'answer_signals', event.value ->> 'reranker', event.value ->> 'rerank_ms', event.value ->> 'escalate', event.value ->> 'audit', event.value ->> 'saved', event.value ->> 'cut'
  FROM json_each(NEW.events) AS event
  WHERE coalesce(event.value ->> 'at_ms' >= (SELECT removed_before_ms FROM counted_decisions), true)
  ON CONFLICT (tenant, at_ms, id) DO NOTHING;
END;

CREATE VIEW uncounted_decisions (until_place) AS SELECT NULL WHERE false;

CREATE TRIGGER decisions_are_counted INSTEAD OF INSERT ON uncounted_decisions
WHEN NEW.until_place > (SELECT place FROM counted_decisions)
BEGIN
  INSERT INTO decision_rollups (tenant, span_ms, start_ms, part, counts)
  SELECT tenant, span_ms, start_ms, part, json_group_object(cell, json(figures))
  FROM (
    SELECT tenant, span_ms, start_ms, part, cell, json_group_object(name, total) AS figures
    FROM (
      SELECT event.tenant, span.ms AS span_ms, event.at_ms - event.at_ms % span.ms AS start_ms, coalesce(unicode(substr(event.collection, -1)) % 4, 0) AS part,
        json_array(event.verdict, event.band, event.cache, event.mode, event.reason, iif(event.status >= 500, 'failed', 'served'), event.collection, event.policy_id) AS cell, figure.key AS name, sum(figure.value) AS total
      FROM decisions AS event, (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span, json_each(json_patch(json_patch(json_patch(json_object(
        'decisions', 1,
        'confidence:count', event.confidence IS NOT NULL,
        'confidence:sum', event.confidence,
        'totalMs:count', event.total_ms IS NOT NULL,
        'totalMs:sum', event.total_ms,
        'retrievalMs:count', event.retrieval_ms IS NOT NULL,
        'retrievalMs:sum', event.retrieval_ms,
        'generationMs:count', event.generation_ms IS NOT NULL,
        'generationMs:sum', event.generation_ms,
        'modelCalls', event.model IS NOT NULL,
        'inputTokens', event.input_tokens,
        'outputTokens', event.output_tokens,
        'escalated', event.escalate,
        'failed', event.status >= 500,
        'savedByRefusal', event.saved ->> 'by' = 'refusal'
      ), json_object(
        'savedByCache', event.saved ->> 'by' = 'cache',
        'savedMeasured', iif(coalesce(event.saved ->> 'estimated', 0), 0, event.saved ->> 'inputTokens' IS NOT NULL),
        'savedMeasuredInput', iif(coalesce(event.saved ->> 'estimated', 0), 0, event.saved ->> 'inputTokens'),
        'savedMeasuredOutput', iif(coalesce(event.saved ->> 'estimated', 0), 0, event.saved ->> 'outputTokens'),
        'savedEstimated', coalesce(event.saved ->> 'estimated', 0),
        'savedEstimatedInput', iif(coalesce(event.saved ->> 'estimated', 0), event.saved ->> 'inputTokens', 0),
        'savedEstimatedOutput', iif(coalesce(event.saved ->> 'estimated', 0), event.saved ->> 'outputTokens', 0),
        'savedPriced', event.saved ->> 'modelCost' IS NOT NULL,
        'savedModelCost', event.saved ->> 'modelCost',
        'savedRetrievalCost', event.saved ->> 'retrievalCost',
        'confidenceBins:' || coalesce(max(0, min(19, CAST(event.confidence * 20 + 1e-9 AS INTEGER))), ''), max(0, min(19, CAST(event.confidence * 20 + 1e-9 AS INTEGER))) IS NOT NULL,
        'latencyBins:' || coalesce(min(130, CAST(ceil(ln(max(event.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)), ''), min(130, CAST(ceil(ln(max(event.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) IS NOT NULL
      )), (SELECT json_group_object('answerGates:' || each.name || ':count', 1) FROM (
    SELECT finding.value ->> 'gate' AS name, max(coalesce(finding.value ->> 'actual', 0.0)) AS value
    FROM json_each(iif(event.answer_signals IS NULL, '[]', event.findings)) AS finding
    WHERE finding.value ->> 'stage' = 'post-generation' GROUP BY name) AS each)), (SELECT json_group_object('answerGates:' || each.name || ':sum', each.value) FROM (
    SELECT finding.value ->> 'gate' AS name, max(coalesce(finding.value ->> 'actual', 0.0)) AS value
    FROM json_each(iif(event.answer_signals IS NULL, '[]', event.findings)) AS finding
    WHERE finding.value ->> 'stage' = 'post-generation' GROUP BY name) AS each))) AS figure
      WHERE event.place > (SELECT place FROM counted_decisions) AND event.place <= NEW.until_place AND figure.value <> 0
      GROUP BY event.tenant, span.ms, event.at_ms - event.at_ms % span.ms, coalesce(unicode(substr(event.collection, -1)) % 4, 0), json_array(event.verdict, event.band, event.cache, event.mode, event.reason, iif(event.status >= 500, 'failed', 'served'), event.collection, event.policy_id), figure.key
    )
    GROUP BY tenant, span_ms, start_ms, part, cell
  )
  WHERE true
  GROUP BY tenant, span_ms, start_ms, part
  ON CONFLICT (tenant, span_ms, start_ms, part) DO UPDATE SET
    counts = json_patch(counts, (
      SELECT json_group_object(cell.key, json((
        SELECT json_group_object(figure.key, figure.value + coalesce(
          counts ->> ('$.' || json_quote(cell.key) || '.' || json_quote(figure.key)), 0
        ))
        FROM json_each(cell.value) AS figure
      )))
      FROM json_each(excluded.counts) AS cell
    ));

  -- Questions that were never refused are no gaps.
  INSERT INTO question_days (
    tenant, day_ms, collection, question_hmac, hmac_key_id, refused, advised, last_ms, last_reason
  )
  SELECT
    tenant, at_ms - at_ms % 86400000, collection, question_hmac, coalesce(hmac_key_id, ''),
    sum(verdict = 'refuse'), sum(verdict = 'advise'), max(at_ms), reason
  FROM decisions
  WHERE decisions.place > (SELECT place FROM counted_decisions) AND decisions.place <= NEW.until_place AND question_hmac IS NOT NULL
    AND verdict <> 'pass'
  GROUP BY tenant, at_ms - at_ms % 86400000, collection, question_hmac
  HAVING sum(verdict = 'refuse') > 0 OR EXISTS (
    SELECT 1 FROM question_days AS known
    WHERE known.tenant = decisions.tenant AND known.day_ms = at_ms - at_ms % 86400000
      AND known.collection = decisions.collection AND known.question_hmac = decisions.question_hmac
  )
  ON CONFLICT (tenant, day_ms, collection, question_hmac) DO UPDATE SET
    refused = refused + excluded.refused,
    advised = advised + excluded.advised,
    last_reason = iif(excluded.last_ms >= last_ms, excluded.last_reason, last_reason),
    last_ms = max(last_ms, excluded.last_ms);

  -- Answers from the cache repeat an older decision and do not count. A week begins on Monday: 345,600,000 is the first of
  -- 1970.
  INSERT INTO document_weeks (
    tenant, week_ms, collection, document_id, decisions, advised, refused, confidence_sum
  )
  SELECT
    tenant, at_ms - (at_ms - 345600000) % 604800000, collection, document_ids ->> 0,
    count(*), sum(verdict = 'advise'), sum(verdict = 'refuse'), sum(confidence)
  FROM decisions
  WHERE decisions.place > (SELECT place FROM counted_decisions) AND decisions.place <= NEW.until_place AND confidence IS NOT NULL
    AND cache IN ('miss', 'bypass') AND document_ids ->> 0 IS NOT NULL
  GROUP BY tenant, at_ms - (at_ms - 345600000) % 604800000, collection, document_ids ->> 0
  ON CONFLICT (tenant, week_ms, collection, document_id) DO UPDATE SET
    decisions = decisions + excluded.decisions,
    advised = advised + excluded.advised,
    refused = refused + excluded.refused,
    confidence_sum = confidence_sum + excluded.confidence_sum;

  INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
  SELECT isolate, min(at_ms), max(at_ms), max(sequence), count(*), 0, 0
  FROM decisions
  WHERE decisions.place > (SELECT place FROM counted_decisions) AND decisions.place <= NEW.until_place
  GROUP BY isolate
  ON CONFLICT (id) DO UPDATE SET
    first_ms = min(first_ms, excluded.first_ms),
    last_ms = max(last_ms, excluded.last_ms),
    highest_sequence = max(highest_sequence, excluded.highest_sequence),
    recorded = recorded + excluded.recorded;

  UPDATE counted_decisions SET place = NEW.until_place;
END;
