-- Decisions are stored first and counted later, many at once: what is counted of them is written once for all of them.

DROP VIEW IF EXISTS decision_batches;

-- One row for each hour, or day, and part: a quarter of the collections, by the last character of the name, so that neither the
-- rows of a period nor the length of one grows with them. Collection and policy stand in the keys of `counts`, after verdict,
-- band, cache state, mode, reason and outcome.
CREATE TABLE decision_rollups_by_part (
  tenant TEXT NOT NULL,
  span_ms INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  part INTEGER NOT NULL,
  counts TEXT NOT NULL,
  PRIMARY KEY (tenant, span_ms, start_ms, part)
) STRICT, WITHOUT ROWID;

INSERT INTO decision_rollups_by_part (tenant, span_ms, start_ms, part, counts)
SELECT tenant, span_ms, start_ms, coalesce(unicode(substr(collection, -1)) % 4, 0), json_group_object(
  json_array(
    cell.key ->> 0, cell.key ->> 1, cell.key ->> 2, cell.key ->> 3, cell.key ->> 4, coalesce(cell.key ->> 5, 'served'),
    collection, policy_id
  ),
  json(cell.value)
)
FROM decision_rollups, json_each(counts) AS cell
GROUP BY 1, 2, 3, 4;

DROP TABLE decision_rollups;
ALTER TABLE decision_rollups_by_part RENAME TO decision_rollups;

-- Decisions up to this rowid are counted.
CREATE TABLE counted_decisions (
  only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
  place INTEGER NOT NULL
) STRICT;

INSERT INTO counted_decisions (only_row, place) SELECT 1, coalesce(max(rowid), 0) FROM decisions;

-- An event that repeats a decision from the cache is found by the decision that it repeats.
DROP INDEX decisions_by_decision;
DROP INDEX isolates_by_time;
DROP INDEX question_days_by_refusals;

-- SQLite gives the rowid of a deleted row again where it was the highest: the next row is counted all the same.
DROP TRIGGER removed_decisions_are_noted;
CREATE TRIGGER removed_decisions_are_noted AFTER DELETE ON decisions
BEGIN
  INSERT INTO removed_decisions (id, at_ms) VALUES (OLD.id, OLD.at_ms) ON CONFLICT (id) DO NOTHING;
  UPDATE counted_decisions SET place = (SELECT coalesce(max(rowid), 0) FROM decisions)
  WHERE place > (SELECT coalesce(max(rowid), 0) FROM decisions);
END;
