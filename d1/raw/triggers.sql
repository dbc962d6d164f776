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
