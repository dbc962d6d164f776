/** SQL statements of the index. Each batch of a write is one transaction. `CROSS JOIN` fixes the join order. */

/**
 * Finds the best passages by SQLite's BM25, with the namespace's statistics: numbers of passages and words, and in how
 * many passages each term occurs.
 *
 * Terms are matched from the rarest on, while together they occur in at most `?3` passages; the rarest is always
 * matched. The cost is one row read per matched passage.
 *
 * `?1` namespace, `?2` JSON list of terms, `?3` maximum of matched passages, `?4` limit; then the filter's values.
 *
 * @param conditions of the filter on `passages`, each beginning with ` AND `; empty for none
 */
export function searchStatement(conditions: string): string {
  // Without a filter only the best rows are joined; with one all matches.
  const best = `SELECT rowid AS number, rank FROM passage_words
      WHERE passage_words MATCH (SELECT query FROM chosen) ORDER BY rank LIMIT ?4`
  const filtered = `SELECT matched.rowid AS number, matched.rank FROM passage_words AS matched
      CROSS JOIN passages ON passages.number = matched.rowid
      WHERE passage_words MATCH (SELECT query FROM chosen)${conditions} ORDER BY matched.rank LIMIT ?4`
  return `WITH
    home AS (SELECT number, passages, words FROM passage_namespaces WHERE namespace = ?1),
    counted AS MATERIALIZED (
      SELECT term, doc, sum(doc) OVER (ORDER BY doc, term ROWS UNBOUNDED PRECEDING) AS upto
      FROM passage_terms WHERE term IN (SELECT home.number || '_' || asked.value FROM home, json_each(?2) AS asked)
    ),
    chosen AS (
      SELECT coalesce(group_concat('"' || term || '"', ' OR '), '""') AS query FROM counted WHERE upto <= ?3 OR upto = doc
    ),
    found AS MATERIALIZED (${conditions === '' ? best : filtered})
    SELECT passages.id, passages.passage, home.passages AS total, home.words AS totalWords,
      (SELECT json_group_array(json_array(substr(term, instr(term, '_') + 1), doc, upto <= ?3 OR upto = doc))
       FROM counted) AS terms
    FROM home CROSS JOIN found CROSS JOIN passages ON passages.number = found.number
    WHERE passages.namespace = ?1
    ORDER BY found.rank`
}

/** `?1` namespace. */
export const OPEN = `INSERT INTO passage_namespaces (namespace, passages, words) VALUES (?1, 0, 0)
  ON CONFLICT (namespace) DO NOTHING`

/** Existing ones among the ids `?2` of the namespace `?1`. */
const KNOWN = `FROM passages WHERE namespace = ?1 AND id IN (SELECT value FROM json_each(?2))`

/** Removes passages, in this order. `?1` namespace, `?2` JSON list of ids. */
export const REMOVE: readonly string[] = [
  `DELETE FROM passage_words WHERE rowid IN (SELECT number ${KNOWN})`,
  `UPDATE passage_namespaces SET
     passages = passages - (SELECT count(*) ${KNOWN}),
     words = words - (SELECT coalesce(sum(words), 0) ${KNOWN})
   WHERE namespace = ?1`,
  `DELETE ${KNOWN}`,
]

/**
 * Inserts new passages, in this order. `?1` namespace, `?2` JSON list of `[id, words, passage, terms]`, with a space
 * before each term.
 */
export const ADD: readonly string[] = [
  `INSERT INTO passages (namespace, id, words, passage)
   SELECT ?1, value ->> 0, value ->> 1, value -> 2 FROM json_each(?2)`,
  `INSERT INTO passage_words (rowid, terms)
   SELECT passages.number, replace(value ->> 3, ' ', ' ' || home.number || '_')
   FROM passage_namespaces AS home CROSS JOIN json_each(?2) CROSS JOIN passages ON passages.namespace = ?1 AND passages.id = value ->> 0
   WHERE home.namespace = ?1`,
]

/** Updates the counts. `?1` namespace, `?2` number of passages, `?3` their number of words. */
export const COUNT = `UPDATE passage_namespaces SET passages = passages + ?2, words = words + ?3 WHERE namespace = ?1`

/** `?1` namespace, `?2` JSON list of ids. */
export const FETCH = `SELECT id, passage ${KNOWN}`
