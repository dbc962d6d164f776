/** Tenants from an index that begins with them, by a recursive query, which drizzle has no word for. */

/**
 * Begins a statement over `known (tenant)`, the tenants of a table after one of them; the last row is `NULL`. It jumps from
 * tenant to tenant by an index that begins with them, and reads two rows for each.
 *
 * @param after SQL of a text, '' before the first
 */
export const knownTenants = (table: string, after: string): string => `WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM ${table} WHERE tenant > ${after}
    UNION ALL SELECT (SELECT min(next.tenant) FROM ${table} AS next WHERE next.tenant > known.tenant)
    FROM known WHERE known.tenant IS NOT NULL
  )`

/** Up to `?2` tenants after `?1` that have decisions in the days from `?3` until `?4`, or an open alert. */
export const ACTIVE_TENANTS = `${knownTenants('decision_rollups', '?1')}
  SELECT tenant FROM known WHERE tenant IS NOT NULL AND (
    EXISTS (
      SELECT 1 FROM decision_rollups AS next
      WHERE next.tenant = known.tenant AND span_ms = 86400000 AND start_ms >= ?3 AND start_ms < ?4
    ) OR EXISTS (SELECT 1 FROM alerts WHERE alerts.tenant = known.tenant AND closed_ms IS NULL)
  ) LIMIT ?2`
