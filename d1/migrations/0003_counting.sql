-- Written by `npm run migrations` from d1/figures.ts and d1/counting.ts: change those, not this.

INSERT INTO counted_decisions (counts, place, decisions) VALUES ('sums', 0, 0), ('weak_spots', 0, 0) ON CONFLICT DO NOTHING;

INSERT INTO removed_decisions (only_row, before_ms, decisions) VALUES (1, 0, 0) ON CONFLICT DO NOTHING;

DROP VIEW IF EXISTS decision_batches;

DROP VIEW IF EXISTS uncounted_decisions;

CREATE VIEW decision_batches (events) AS SELECT NULL WHERE false;

CREATE TRIGGER decisions_are_stored INSTEAD OF INSERT ON decision_batches
BEGIN
  INSERT INTO signal_shapes (shape)
  SELECT DISTINCT value ->> 'signal_shape' FROM json_each(NEW.events) WHERE value ->> 'signal_shape' IS NOT NULL
  ON CONFLICT (shape) DO NOTHING;

  -- An event is known by its tenant, time and id. What is older than what was removed was counted, and is left alone as well.
  INSERT INTO decisions (place, id, decision_id, at_ms, tenant, collection, corpus_version, policy_id, mode, route, verdict, band, confidence, reason, cache, status, ranked_by, signals, findings, evidence_ids, document_ids, retrieval_ms, generation_ms, total_ms, principal_id, question_hmac, hmac_key_id, model, input_tokens, output_tokens, isolate, sequence, answer_signals, reranker, rerank_ms, escalate, audit, saved, cut, signal_shape)
  SELECT
    event.at_ms * 2048 - 1 + row_number() OVER (PARTITION BY event.at_ms ORDER BY event.key)
      + coalesce((SELECT max(place) + 1 - event.at_ms * 2048 FROM decisions WHERE place BETWEEN event.at_ms * 2048 AND event.at_ms * 2048 + 2047), 0),
    event.value ->> 'id', event.value ->> 'decision_id', event.value ->> 'at_ms', event.value ->> 'tenant', event.value ->> 'collection', event.value ->> 'corpus_version', event.value ->> 'policy_id', event.value ->> 'mode', event.value ->> 'route', event.value ->> 'verdict', event.value ->> 'band', event.value ->> 'confidence', event.value ->> 'reason', event.value ->> 'cache', event.value ->> 'status', event.value ->> 'ranked_by', event.value ->> 'signals', event.value ->> 'findings', event.value ->> 'evidence_ids', event.value ->> 'document_ids', event.value ->> 'retrieval_ms', event.value ->> 'generation_ms', event.value ->> 'total_ms', event.value ->> 'principal_id', event.value ->> 'question_hmac', event.value ->> 'hmac_key_id', event.value ->> 'model', event.value ->> 'input_tokens', event.value ->> 'output_tokens', event.value ->> 'isolate', event.value ->> 'sequence', event.value ->> 'answer_signals', event.value ->> 'reranker', event.value ->> 'rerank_ms', event.value ->> 'escalate', event.value ->> 'audit', event.value ->> 'saved', event.value ->> 'cut', (SELECT id FROM signal_shapes WHERE shape = event.value ->> 'signal_shape')
  FROM (
    SELECT min(key) AS key, value, value ->> 'at_ms' AS at_ms, value ->> 'tenant' AS tenant, value ->> 'id' AS id
    FROM json_each(NEW.events)
    WHERE coalesce(value ->> 'at_ms' >= (SELECT before_ms FROM removed_decisions), true)
    GROUP BY value ->> 'at_ms', value ->> 'tenant', value ->> 'id'
  ) AS event
  WHERE NOT EXISTS (
    SELECT 1 FROM decisions AS known WHERE known.place BETWEEN event.at_ms * 2048 AND event.at_ms * 2048 + 2047 AND known.id = event.id AND known.tenant = event.tenant
  );
END;

CREATE VIEW uncounted_decisions (counts, until_place) AS SELECT NULL, NULL WHERE false;

CREATE TRIGGER decisions_are_counted INSTEAD OF INSERT ON uncounted_decisions
WHEN NEW.counts = 'sums'
BEGIN
  INSERT INTO decision_rollups (tenant, span_ms, start_ms, part, counts)
  SELECT tenant, span_ms, start_ms, part + 2 * coalesce((
    SELECT iif(length(first.counts) < 250000, 0, (
      SELECT count(*) FROM decision_rollups AS other
      WHERE other.tenant = first.tenant AND other.span_ms = first.span_ms AND other.start_ms = first.start_ms
        AND other.part % 2 = first.part AND length(other.counts) >= 250000
    ))
    FROM decision_rollups AS first
    WHERE first.tenant = counted.tenant AND first.span_ms = counted.span_ms AND first.start_ms = counted.start_ms
      AND first.part = counted.part
  ), 0), json_group_object(cell, json(figures))
  FROM (
    SELECT tenant, span_ms, start_ms, part, cell, '{' || group_concat(members) || '}' AS figures
    FROM (
        SELECT tenant, span.ms AS span_ms, hour_ms - hour_ms % span.ms AS start_ms, part, cell, trim(json_patch(json_patch('{}', json_object('n', nullif(sum("n"), 0), '-c', nullif(sum("-c"), 0), 'c', nullif(sum("c"), 0), '-t', nullif(sum("-t"), 0), 't', nullif(sum("t"), 0), '-r', nullif(sum("-r"), 0), 'r', nullif(sum("r"), 0), '-g', nullif(sum("-g"), 0), 'g', nullif(sum("g"), 0), 'm', nullif(sum("m"), 0), 'i', nullif(sum("i"), 0), 'o', nullif(sum("o"), 0), 'e', nullif(sum("e"), 0), 'f', nullif(sum("f"), 0), 'sr', nullif(sum("sr"), 0))), json_object('sc', nullif(sum("sc"), 0), 'sm', nullif(sum("sm"), 0), 'mi', nullif(sum("mi"), 0), 'mo', nullif(sum("mo"), 0), 'se', nullif(sum("se"), 0), 'ei', nullif(sum("ei"), 0), 'eo', nullif(sum("eo"), 0), 'sp', nullif(sum("sp"), 0), 'pm', nullif(sum("pm"), 0), 'pr', nullif(sum("pr"), 0))), '{}') AS members
        FROM (
          SELECT event.tenant AS tenant, event.at_ms - event.at_ms % 3600000 AS hour_ms,
            coalesce(unicode(substr(event.collection, -1)) % 2, 0) AS part, json_array(event.verdict, event.band, event.cache, event.mode, event.reason, iif(event.status >= 500, 'failed', 'served'), event.collection, event.policy_id) AS cell,
            sum(1) AS "n",
            sum(event.confidence IS NULL) AS "-c",
            sum(event.confidence) AS "c",
            sum(event.total_ms IS NULL) AS "-t",
            sum(event.total_ms) AS "t",
            sum(event.retrieval_ms IS NULL) AS "-r",
            sum(event.retrieval_ms) AS "r",
            sum(event.generation_ms IS NULL) AS "-g",
            sum(event.generation_ms) AS "g",
            sum(event.model IS NOT NULL) AS "m",
            sum(event.input_tokens) AS "i",
            sum(event.output_tokens) AS "o",
            sum(event.escalate) AS "e",
            sum(event.status >= 500) AS "f",
            sum(event.saved ->> 'by' = 'refusal') AS "sr",
            sum(event.saved ->> 'by' = 'cache') AS "sc",
            sum(iif(coalesce(event.saved ->> 'estimated', 0), 0, event.saved ->> 'inputTokens' IS NOT NULL)) AS "sm",
            sum(iif(coalesce(event.saved ->> 'estimated', 0), 0, event.saved ->> 'inputTokens')) AS "mi",
            sum(iif(coalesce(event.saved ->> 'estimated', 0), 0, event.saved ->> 'outputTokens')) AS "mo",
            sum(coalesce(event.saved ->> 'estimated', 0)) AS "se",
            sum(iif(coalesce(event.saved ->> 'estimated', 0), event.saved ->> 'inputTokens', 0)) AS "ei",
            sum(iif(coalesce(event.saved ->> 'estimated', 0), event.saved ->> 'outputTokens', 0)) AS "eo",
            sum(event.saved ->> 'modelCost' IS NOT NULL) AS "sp",
            sum(event.saved ->> 'modelCost') AS "pm",
            sum(event.saved ->> 'retrievalCost') AS "pr"
          FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'sums' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  ) AS event
          GROUP BY tenant, hour_ms, part, cell
        ) CROSS JOIN (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span
        GROUP BY tenant, span_ms, start_ms, part, cell
        UNION ALL
        SELECT tenant, span.ms AS span_ms, hour_ms - hour_ms % span.ms AS start_ms, part, cell, trim(json_object('a:' || name || ':count', sum(decisions), 'a:' || name || ':sum', sum(total)), '{}') AS members
        FROM (
          SELECT event.tenant AS tenant, event.at_ms - event.at_ms % 3600000 AS hour_ms,
            coalesce(unicode(substr(event.collection, -1)) % 2, 0) AS part, json_array(event.verdict, event.band, event.cache, event.mode, event.reason, iif(event.status >= 500, 'failed', 'served'), event.collection, event.policy_id) AS cell,
            mean.key AS name, count(*) AS decisions, sum(mean.value) AS total
          FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'sums' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  ) AS event, json_each((SELECT json_group_object(each.name, each.value) FROM (
    SELECT finding.value ->> 'gate' AS name, max(coalesce(finding.value ->> 'actual', 0.0)) AS value
    FROM json_each(iif(event.answer_signals IS NULL, '[]', event.findings)) AS finding
    WHERE finding.value ->> 'stage' = 'post-generation' GROUP BY name) AS each)) AS mean
          GROUP BY tenant, hour_ms, part, cell, name
        ) CROSS JOIN (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span
        WHERE name IS NOT NULL
        GROUP BY tenant, span_ms, start_ms, part, cell, name
        UNION ALL
        SELECT tenant, span.ms AS span_ms, hour_ms - hour_ms % span.ms AS start_ms, part, cell, trim(json_object('b' || name, sum(decisions)), '{}') AS members
        FROM (
          SELECT event.tenant AS tenant, event.at_ms - event.at_ms % 3600000 AS hour_ms,
            coalesce(unicode(substr(event.collection, -1)) % 2, 0) AS part, json_array(event.verdict, event.band, event.cache, event.mode, event.reason, iif(event.status >= 500, 'failed', 'served'), event.collection, event.policy_id) AS cell,
            max(0, min(19, CAST(event.confidence * 20 + 1e-9 AS INTEGER))) AS name, count(*) AS decisions
          FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'sums' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  ) AS event
          GROUP BY tenant, hour_ms, part, cell, name
        ) CROSS JOIN (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span
        WHERE name IS NOT NULL
        GROUP BY tenant, span_ms, start_ms, part, cell, name
        UNION ALL
        SELECT tenant, span.ms AS span_ms, hour_ms - hour_ms % span.ms AS start_ms, part, cell, trim(json_object('l' || name, sum(decisions)), '{}') AS members
        FROM (
          SELECT event.tenant AS tenant, event.at_ms - event.at_ms % 3600000 AS hour_ms,
            coalesce(unicode(substr(event.collection, -1)) % 2, 0) AS part, json_array(event.verdict, event.band, event.cache, event.mode, event.reason, iif(event.status >= 500, 'failed', 'served'), event.collection, event.policy_id) AS cell,
            min(130, CAST(ceil(ln(max(event.total_ms, 1.0)) / ln(1.1) - 1e-9) AS INTEGER)) AS name, count(*) AS decisions
          FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'sums' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  ) AS event
          GROUP BY tenant, hour_ms, part, cell, name
        ) CROSS JOIN (SELECT 3600000 AS ms UNION ALL SELECT 86400000) AS span
        WHERE name IS NOT NULL
        GROUP BY tenant, span_ms, start_ms, part, cell, name
    )
    GROUP BY tenant, span_ms, start_ms, part, cell
  ) AS counted
  WHERE true
  GROUP BY tenant, span_ms, start_ms, part
  ON CONFLICT (tenant, span_ms, start_ms, part) DO UPDATE SET
    counts = json_patch(counts, (
      SELECT json_group_object(cell.key, json((
        SELECT json_group_object(figure.key, figure.value + coalesce(cell.known ->> figure.key, 0))
        FROM json_each(cell.value) AS figure
      )))
      -- With the limit a cell is looked for once, and not again for each of its figures.
      FROM (
        SELECT key, value, counts -> ('$.' || json_quote(key)) AS known FROM json_each(excluded.counts) LIMIT -1
      ) AS cell
    ));

  INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
  SELECT isolate, min(at_ms), max(at_ms), max(sequence), count(*), 0, 0
  FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'sums' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  )
  GROUP BY isolate
  ON CONFLICT (id) DO UPDATE SET
    first_ms = min(first_ms, excluded.first_ms),
    last_ms = max(last_ms, excluded.last_ms),
    highest_sequence = max(highest_sequence, excluded.highest_sequence),
    recorded = recorded + excluded.recorded;

  DELETE FROM late_decisions WHERE counts = 'sums' AND place <= (SELECT max(place) FROM (SELECT place FROM late_decisions WHERE counts = 'sums' ORDER BY place LIMIT 5000));

  UPDATE counted_decisions SET
    decisions = decisions + changes() + (SELECT count(*) FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') AND place <= NEW.until_place),
    place = max(place, NEW.until_place)
  WHERE counts = 'sums';
END;

CREATE TRIGGER weak_spots_are_counted INSTEAD OF INSERT ON uncounted_decisions
WHEN NEW.counts = 'weak_spots'
BEGIN
  -- Questions that were never refused are no gaps.
  INSERT INTO question_days (
    tenant, day_ms, collection, question_hmac, hmac_key_id, refused, advised, last_ms, last_reason
  )
  SELECT
    tenant, at_ms - at_ms % 86400000, collection, question_hmac, coalesce(hmac_key_id, ''),
    sum(verdict = 'refuse'), sum(verdict = 'advise'), max(at_ms), reason
  FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'weak_spots') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'weak_spots' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  ) AS event
  WHERE question_hmac IS NOT NULL AND verdict <> 'pass'
  GROUP BY tenant, at_ms - at_ms % 86400000, collection, question_hmac
  HAVING sum(verdict = 'refuse') > 0 OR EXISTS (
    SELECT 1 FROM question_days AS known
    WHERE known.tenant = event.tenant AND known.day_ms = at_ms - at_ms % 86400000
      AND known.collection = event.collection AND known.question_hmac = event.question_hmac
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
  FROM (
    SELECT * FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'weak_spots') AND place <= NEW.until_place
    UNION ALL SELECT decisions.* FROM (SELECT place FROM late_decisions WHERE counts = 'weak_spots' ORDER BY place LIMIT 5000) AS late CROSS JOIN decisions USING (place)
  )
  WHERE confidence IS NOT NULL
    AND cache IN ('miss', 'bypass') AND document_ids ->> 0 IS NOT NULL
  GROUP BY tenant, at_ms - (at_ms - 345600000) % 604800000, collection, document_ids ->> 0
  ON CONFLICT (tenant, week_ms, collection, document_id) DO UPDATE SET
    decisions = decisions + excluded.decisions,
    advised = advised + excluded.advised,
    refused = refused + excluded.refused,
    confidence_sum = confidence_sum + excluded.confidence_sum;

  DELETE FROM late_decisions WHERE counts = 'weak_spots' AND place <= (SELECT max(place) FROM (SELECT place FROM late_decisions WHERE counts = 'weak_spots' ORDER BY place LIMIT 5000));

  UPDATE counted_decisions SET
    decisions = decisions + changes() + (SELECT count(*) FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'weak_spots') AND place <= NEW.until_place),
    place = max(place, NEW.until_place)
  WHERE counts = 'weak_spots';
END;


DROP VIEW IF EXISTS next_sums;

CREATE VIEW next_sums (counts, until_place) AS SELECT 'sums', coalesce(
    (SELECT place FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') ORDER BY place LIMIT 1 OFFSET 4999),
    (SELECT max(place) FROM decisions), (SELECT place FROM counted_decisions WHERE counts = 'sums')
  ) WHERE EXISTS (SELECT 1 FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums'))
    OR EXISTS (SELECT 1 FROM late_decisions WHERE counts = 'sums');

DROP VIEW IF EXISTS next_weak_spots;

CREATE VIEW next_weak_spots (counts, until_place) AS SELECT 'weak_spots', coalesce(
    (SELECT place FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'weak_spots') ORDER BY place LIMIT 1 OFFSET 19999),
    (SELECT max(place) FROM decisions), (SELECT place FROM counted_decisions WHERE counts = 'weak_spots')
  ) WHERE EXISTS (SELECT 1 FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'weak_spots'))
    OR EXISTS (SELECT 1 FROM late_decisions WHERE counts = 'weak_spots');

DROP VIEW IF EXISTS waiting_decisions;

CREATE VIEW waiting_decisions (sums, sums_ms, weak_spots, weak_spots_ms) AS SELECT
  (SELECT count(*) FROM (
    SELECT * FROM (SELECT 1 FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') LIMIT 50)
    UNION ALL SELECT * FROM (SELECT 1 FROM late_decisions WHERE counts = 'sums' LIMIT 50)
  )),
  (SELECT min(place) / 2048 FROM (
    SELECT min(place) AS place FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums')
    UNION ALL SELECT min(place) FROM late_decisions WHERE counts = 'sums'
  )),
  (SELECT sum(iif(counts = 'sums', decisions, -decisions)) FROM counted_decisions),
  (SELECT min(place) / 2048 FROM (
    SELECT min(place) AS place FROM decisions WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'weak_spots')
    UNION ALL SELECT min(place) FROM late_decisions WHERE counts = 'weak_spots'
  ));

DROP VIEW IF EXISTS spent_tokens;

CREATE VIEW spent_tokens (tenant, at_ms, tokens) AS
  SELECT tenant, start_ms, coalesce(value ->> 'i', 0) + coalesce(value ->> 'o', 0)
  FROM decision_rollups, json_each(counts) WHERE span_ms = 86400000
  UNION ALL
  SELECT tenant, at_ms, coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
  FROM decisions
  WHERE place > (SELECT place FROM counted_decisions WHERE counts = 'sums') OR place IN (SELECT place FROM late_decisions WHERE counts = 'sums');
