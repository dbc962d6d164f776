/** SQL that stores and counts decisions in batches. Written to `raw/counting.sql`; not imported at run time. */
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import {
  CELL,
  CELL_SQL,
  type Figure,
  FIGURE_SQL,
  type Figures,
  PARTS,
  PLACES_OF_A_MS,
  WORTH_COUNTING,
} from './figures.ts'
import { decisions } from './schema.ts'

/** SQLite functions take at most 32 arguments in D1. */
const PAIRS_AT_ONCE = 15

const HOUR_MS = 3_600_000

function requireShortNames(figures: Figures): void {
  const owners = new Map<string, string>()
  for (const [name, { as }] of Object.entries(figures)) {
    const owner = owners.get(as)
    if (owner !== undefined) throw new Error(`${name} and ${owner} are both called "${as}" in d1/figures.ts`)
    if (!/^[a-z]{1,2}$/.test(as)) throw new Error(`${name} is called "${as}" in d1/figures.ts: take one or two letters`)
    owners.set(as, name)
  }
}

type CountedFigure = Figure & { readonly sql: string }

/** The sums of one figure, by their names in `counts`. */
function sumsOf({ kind, as, sql }: CountedFigure): readonly (readonly [name: string, value: string])[] {
  switch (kind) {
    case 'count':
    case 'saving':
      return [[as, sql]]
    case 'mean':
      return [
        [`-${as}`, `${sql} IS NULL`],
        [as, sql],
      ]
    case 'bins':
    case 'means':
      return []
  }
}

/** A JSON object of sums by name, without zeros. */
function objectOf(names: readonly string[]): string {
  const objects: string[] = []
  for (let at = 0; at < names.length; at += PAIRS_AT_ONCE) {
    const pairs = names.slice(at, at + PAIRS_AT_ONCE).map((name) => `'${name}', nullif(sum("${name}"), 0)`)
    objects.push(`json_object(${pairs.join(', ')})`)
  }
  return objects.reduce((all, object) => `json_patch(${all}, ${object})`, `'{}'`)
}

/** The cells of hours and days, each with the members of its JSON object. */
function membersOf(figures: readonly CountedFigure[]): string {
  const inCommon = `event.tenant AS tenant, event.at_ms - event.at_ms % ${HOUR_MS} AS hour_ms,
            coalesce(unicode(substr(event.collection, -1)) % ${PARTS}, 0) AS part, json_array(${CELL.map((name) => CELL_SQL[name]).join(', ')}) AS cell`
  // SQLite sorts to group, and sorted rows count as read: decisions are grouped by hour, and hours by day.
  const counted = (columns: string, object: string, { from = '', by = '' } = {}): string => `
        SELECT tenant, span.ms AS span_ms, hour_ms - hour_ms % span.ms AS start_ms, part, cell, trim(${object}, '{}') AS members
        FROM (
          SELECT ${inCommon},
            ${columns}
          FROM ${uncounted('sums')} AS event${from}
          GROUP BY tenant, hour_ms, part, cell${by}
        ) CROSS JOIN (SELECT ${HOUR_MS} AS ms UNION ALL SELECT ${24 * HOUR_MS}) AS span${by === '' ? '' : `\n        WHERE name IS NOT NULL`}
        GROUP BY tenant, span_ms, start_ms, part, cell${by}`
  const sums = figures.flatMap(sumsOf)
  const names = sums.map(([name]) => name)
  const parts = figures.flatMap(({ kind, as, sql }) => {
    if (kind === 'bins') {
      const columns = `${sql} AS name, count(*) AS decisions`
      return [counted(columns, `json_object('${as}' || name, sum(decisions))`, { by: ', name' })]
    }
    if (kind !== 'means') return []
    const from = `, json_each((SELECT json_group_object(each.name, each.value) FROM (${sql}) AS each)) AS mean`
    const object = `json_object('${as}:' || name || ':count', sum(decisions), '${as}:' || name || ':sum', sum(total))`
    const columns = 'mean.key AS name, count(*) AS decisions, sum(mean.value) AS total'
    return [counted(columns, object, { from, by: ', name' })]
  })
  const columns = sums.map(([name, value]) => `sum(${value}) AS "${name}"`)
  return [counted(columns.join(',\n            '), objectOf(names)), ...parts].join('\n        UNION ALL')
}

/**
 * Length of `counts` from which a row is full, and another row of its part is begun: adding a cell searches the
 * existing ones, and a D1 row is limited to 2 MB. A slice has at most 1.6 MB, if no two decisions share a cell.
 */
const FULL = 250_000

/** Number of full rows of a part. If the first is not full, no other is read. */
const FULL_ROWS = `coalesce((
    SELECT iif(length(first.counts) < ${FULL}, 0, (
      SELECT count(*) FROM decision_rollups AS other
      WHERE other.tenant = first.tenant AND other.span_ms = first.span_ms AND other.start_ms = first.start_ms
        AND other.part % ${PARTS} = first.part AND length(other.counts) >= ${FULL}
    ))
    FROM decision_rollups AS first
    WHERE first.tenant = counted.tenant AND first.span_ms = counted.span_ms AND first.start_ms = counted.start_ms
      AND first.part = counted.part
  ), 0)`

/** Maximum number of late decisions per statement. */
const LATE_AT_ONCE = 5_000

const firstLate = (counts: string): string =>
  `(SELECT place FROM late_decisions WHERE counts = '${counts}' ORDER BY place LIMIT ${LATE_AT_ONCE})`

const onTime = (counts: string): string => `place > ${counted(counts)} AND place <= NEW.until_place`

/**
 * Decisions to count up to `NEW.until_place`: those after the last time, and the first of the late ones. A union,
 * because with `OR` each late one would cost two more row reads.
 */
const uncounted = (counts: string): string => `(
    SELECT * FROM decisions WHERE ${onTime(counts)}
    UNION ALL SELECT decisions.* FROM ${firstLate(counts)} AS late CROSS JOIN decisions USING (place)
  )`

/** The end of a counting trigger. */
const noted = (counts: string): string => `
  DELETE FROM late_decisions WHERE counts = '${counts}' AND place <= (SELECT max(place) FROM ${firstLate(counts)});

  UPDATE counted_decisions SET
    decisions = decisions + changes() + (SELECT count(*) FROM decisions WHERE ${onTime(counts)}),
    place = max(place, NEW.until_place)
  WHERE counts = '${counts}';
END;
`

/** Decisions per statement: counting 5,000 sums takes half a second of D1; weak spots take a tenth of the time. */
const SLICES = { sums: 5_000, weak_spots: WORTH_COUNTING.weak_spots } as const

const counted = (counts: string): string => `(SELECT place FROM counted_decisions WHERE counts = '${counts}')`

/** Time of the first waiting decision. */
const firstMs = (counts: string): string => `(SELECT min(place) / ${PLACES_OF_A_MS} FROM (
    SELECT min(place) AS place FROM decisions WHERE place > ${counted(counts)}
    UNION ALL SELECT min(place) FROM late_decisions WHERE counts = '${counts}'
  ))`

/** The end of the next slice; no row if nothing is waiting. */
const nextSlice = ([counts, slice]: readonly [string, number]): string => `
DROP VIEW IF EXISTS next_${counts};

CREATE VIEW next_${counts} (counts, until_place) AS SELECT '${counts}', coalesce(
    (SELECT place FROM decisions WHERE place > ${counted(counts)} ORDER BY place LIMIT 1 OFFSET ${slice - 1}),
    (SELECT max(place) FROM decisions), ${counted(counts)}
  ) WHERE EXISTS (SELECT 1 FROM decisions WHERE place > ${counted(counts)})
    OR EXISTS (SELECT 1 FROM late_decisions WHERE counts = '${counts}');
`

/**
 * Views of what is waiting to be counted: the next slices; the numbers of waiting sums (up to the worthwhile number)
 * and weak spots, and the times of their first decisions.
 */
const WAITING = `${Object.entries(SLICES).map(nextSlice).join('')}
DROP VIEW IF EXISTS waiting_decisions;

CREATE VIEW waiting_decisions (sums, sums_ms, weak_spots, weak_spots_ms) AS SELECT
  (SELECT count(*) FROM (
    SELECT * FROM (SELECT 1 FROM decisions WHERE place > ${counted('sums')} LIMIT ${WORTH_COUNTING.sums})
    UNION ALL SELECT * FROM (SELECT 1 FROM late_decisions WHERE counts = 'sums' LIMIT ${WORTH_COUNTING.sums})
  )),
  ${firstMs('sums')},
  (SELECT sum(iif(counts = 'sums', decisions, -decisions)) FROM counted_decisions),
  ${firstMs('weak_spots')};
`

/** Tokens of a tenant: counted by day, or waiting. */
const spentSql = ({ inputTokens, outputTokens }: Figures): string => `
DROP VIEW IF EXISTS spent_tokens;

CREATE VIEW spent_tokens (tenant, at_ms, tokens) AS
  SELECT tenant, start_ms, coalesce(value ->> '${inputTokens?.as}', 0) + coalesce(value ->> '${outputTokens?.as}', 0)
  FROM decision_rollups, json_each(counts) WHERE span_ms = 86400000
  UNION ALL
  SELECT tenant, at_ms, coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
  FROM decisions
  WHERE place > ${counted('sums')} OR place IN (SELECT place FROM late_decisions WHERE counts = 'sums');
`

/**
 * Two views with insert triggers, and four to read: waiting decisions, and tokens. `decision_batches` stores a JSON
 * array of decisions, with column names; a redelivered one is stored once. `uncounted_decisions` counts what was stored
 * since the last time, up to a place, and records that, in one statement, so that each decision is counted once.
 *
 * @throws for a figure whose short name is not one or two letters, or is not unique: the rollups would mix their sums
 */
export function countingSql(figures: Figures, sqlOf: Readonly<Record<string, string>> = FIGURE_SQL): string {
  requireShortNames(figures)
  const withSql = Object.entries(figures).map(([name, figure]) => ({ ...figure, sql: sqlOf[name]! }))
  const columns = getTableConfig(decisions).columns.flatMap(({ name }) => (name === 'place' ? [] : [name]))
  const stored = (name: string): string =>
    name === 'signal_shape'
      ? `(SELECT id FROM signal_shapes WHERE shape = event.value ->> '${name}')`
      : `event.value ->> '${name}'`
  const key = 'tenant, span_ms, start_ms, part'
  const slot = `event.at_ms * ${PLACES_OF_A_MS}`
  const inSlot = `place BETWEEN ${slot} AND ${slot} + ${PLACES_OF_A_MS - 1}`
  return `INSERT INTO counted_decisions (counts, place, decisions) VALUES ('sums', 0, 0), ('weak_spots', 0, 0) ON CONFLICT DO NOTHING;

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
  INSERT INTO decisions (place, ${columns.join(', ')})
  SELECT
    ${slot} - 1 + row_number() OVER (PARTITION BY event.at_ms ORDER BY event.key)
      + coalesce((SELECT max(place) + 1 - ${slot} FROM decisions WHERE ${inSlot}), 0),
    ${columns.map(stored).join(', ')}
  FROM (
    SELECT min(key) AS key, value, value ->> 'at_ms' AS at_ms, value ->> 'tenant' AS tenant, value ->> 'id' AS id
    FROM json_each(NEW.events)
    WHERE coalesce(value ->> 'at_ms' >= (SELECT before_ms FROM removed_decisions), true)
    GROUP BY value ->> 'at_ms', value ->> 'tenant', value ->> 'id'
  ) AS event
  WHERE NOT EXISTS (
    SELECT 1 FROM decisions AS known WHERE known.${inSlot} AND known.id = event.id AND known.tenant = event.tenant
  );
END;

CREATE VIEW uncounted_decisions (counts, until_place) AS SELECT NULL, NULL WHERE false;

CREATE TRIGGER decisions_are_counted INSTEAD OF INSERT ON uncounted_decisions
WHEN NEW.counts = 'sums'
BEGIN
  INSERT INTO decision_rollups (${key}, counts)
  SELECT tenant, span_ms, start_ms, part + ${PARTS} * ${FULL_ROWS}, json_group_object(cell, json(figures))
  FROM (
    SELECT ${key}, cell, '{' || group_concat(members) || '}' AS figures
    FROM (${membersOf(withSql)}
    )
    GROUP BY ${key}, cell
  ) AS counted
  WHERE true
  GROUP BY ${key}
  ON CONFLICT (${key}) DO UPDATE SET
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
  FROM ${uncounted('sums')}
  GROUP BY isolate
  ON CONFLICT (id) DO UPDATE SET
    first_ms = min(first_ms, excluded.first_ms),
    last_ms = max(last_ms, excluded.last_ms),
    highest_sequence = max(highest_sequence, excluded.highest_sequence),
    recorded = recorded + excluded.recorded;
${noted('sums')}
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
  FROM ${uncounted('weak_spots')} AS event
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
  FROM ${uncounted('weak_spots')}
  WHERE confidence IS NOT NULL
    AND cache IN ('miss', 'bypass') AND document_ids ->> 0 IS NOT NULL
  GROUP BY tenant, at_ms - (at_ms - 345600000) % 604800000, collection, document_ids ->> 0
  ON CONFLICT (tenant, week_ms, collection, document_id) DO UPDATE SET
    decisions = decisions + excluded.decisions,
    advised = advised + excluded.advised,
    refused = refused + excluded.refused,
    confidence_sum = confidence_sum + excluded.confidence_sum;
${noted('weak_spots')}
${WAITING}${spentSql(figures)}`
}
