/** SQL of budgets: a conditional insert, and sums over a view (`d1/counting.ts`). */

/** Adds to the row of the day if the budget permits: one statement, so that concurrent calls cannot exceed it. */
export const SPEND = `INSERT INTO ingestion_budgets (tenant, principal, day_ms, documents, steps)
SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?4 <= ?6
ON CONFLICT (tenant, principal) DO UPDATE SET
  documents = iif(day_ms >= ?3, documents, 0) + ?4, steps = iif(day_ms >= ?3, steps, 0) + ?5, day_ms = max(day_ms, ?3)
WHERE iif(day_ms >= ?3, documents, 0) + ?4 <= ?6 AND iif(day_ms >= ?3, steps, 0) < ?7
RETURNING documents`

/** Tokens of the tenant `?1` since `?2`, and since the earlier `?3`. */
export const SPENT = `SELECT coalesce(sum(tokens), 0) AS month, coalesce(sum(iif(at_ms >= ?2, tokens, 0)), 0) AS day
  FROM spent_tokens WHERE tenant = ?1 AND at_ms >= ?3`
