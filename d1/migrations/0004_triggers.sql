DROP TRIGGER IF EXISTS rejected_events_are_counted;
CREATE TRIGGER rejected_events_are_counted AFTER INSERT ON rejected_events
BEGIN
  INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
  VALUES (NEW.isolate, NEW.at_ms, NEW.at_ms, NEW.sequence, 0, 0, 1)
  ON CONFLICT (id) DO UPDATE SET
    rejected = rejected + 1,
    last_ms = max(last_ms, excluded.last_ms),
    highest_sequence = max(highest_sequence, excluded.highest_sequence);
END;

-- What arrives once others of its time were counted is counted by its place.
DROP TRIGGER IF EXISTS late_decisions_are_noted;
CREATE TRIGGER late_decisions_are_noted AFTER INSERT ON decisions
WHEN NEW.place <= (SELECT max(place) FROM counted_decisions)
BEGIN
  INSERT INTO late_decisions (counts, place) SELECT counts, NEW.place FROM counted_decisions WHERE place >= NEW.place
  ON CONFLICT (counts, place) DO NOTHING;
END;

-- Of an erased principal only that there was one.
DROP TRIGGER IF EXISTS audit_events_are_kept;
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

-- The row stays, so that a further delivery of the event is not counted again; it names no person and nothing asked.
DROP TRIGGER IF EXISTS erased_principals_stay_erased;
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

-- Erases a slice of a principal's decisions, and notes how far that is. Refusals are taken off the gaps where they were counted.
DROP VIEW IF EXISTS erased_decisions;
CREATE VIEW erased_decisions (tenant, principal_id, places, until_place) AS SELECT NULL, NULL, NULL, NULL WHERE false;
CREATE TRIGGER decisions_are_erased INSTEAD OF INSERT ON erased_decisions
BEGIN
  UPDATE audit_events SET payload = '{}' WHERE id IN (
    SELECT erased.id || ':' || event.key
    FROM (SELECT id, audit FROM decisions WHERE place IN (SELECT value FROM json_each(NEW.places)) AND audit IS NOT NULL) AS erased,
      json_each(erased.audit) AS event
  );

  UPDATE question_days SET refused = question_days.refused - gone.refused, advised = max(0, question_days.advised - gone.advised)
  FROM (
    SELECT
      at_ms - at_ms % 86400000 AS day_ms, collection, question_hmac,
      sum(verdict = 'refuse') AS refused, sum(verdict = 'advise') AS advised
    FROM decisions
    WHERE place IN (SELECT value FROM json_each(NEW.places)) AND question_hmac IS NOT NULL AND verdict <> 'pass'
      AND place <= (SELECT place FROM counted_decisions WHERE counts = 'weak_spots')
      AND place NOT IN (SELECT place FROM late_decisions WHERE counts = 'weak_spots')
    GROUP BY 1, 2, 3
  ) AS gone
  WHERE question_days.tenant = NEW.tenant AND question_days.day_ms = gone.day_ms
    AND question_days.collection = gone.collection AND question_days.question_hmac = gone.question_hmac;

  DELETE FROM question_days WHERE refused < 1 AND (tenant, day_ms, collection, question_hmac) IN (
    SELECT tenant, at_ms - at_ms % 86400000, collection, question_hmac
    FROM decisions WHERE place IN (SELECT value FROM json_each(NEW.places))
  );

  UPDATE decisions SET
    principal_id = '', question_hmac = NULL, hmac_key_id = NULL, evidence_ids = '[]', document_ids = '[]', findings = '[]',
    audit = NULL
  WHERE place IN (SELECT value FROM json_each(NEW.places)) AND tenant = NEW.tenant AND principal_id = NEW.principal_id;

  UPDATE erasures SET decided_until_place = NEW.until_place, erased = erased + changes()
  WHERE tenant = NEW.tenant AND principal_id = NEW.principal_id;
END;
