/** SQL that lists tenants by a recursive query over an index, which drizzle does not support. */

/**
 * Starts a statement with `known (tenant)`, the tenants of a table after a given one; the last row is `NULL`. It seeks
 * from tenant to tenant in an index that begins with them, reading two rows each.
 *
 * @param after SQL of a string, '' for the first tenant
 */
export const knownTenants = (table: string, after: string): string => `WITH RECURSIVE known (tenant) AS (
    SELECT min(tenant) FROM ${table} WHERE tenant > ${after}
    UNION ALL SELECT (SELECT min(next.tenant) FROM ${table} AS next WHERE next.tenant > known.tenant)
    FROM known WHERE known.tenant IS NOT NULL
  )`

/** Up to `?2` tenants after `?1` with decisions in the days from `?3` until `?4`, or an open alert. */
export const ACTIVE_TENANTS = `${knownTenants('decision_rollups', '?1')}
  SELECT tenant FROM known WHERE tenant IS NOT NULL AND (
    EXISTS (
      SELECT 1 FROM decision_rollups AS next
      WHERE next.tenant = known.tenant AND span_ms = 86400000 AND start_ms >= ?3 AND start_ms < ?4
    ) OR EXISTS (SELECT 1 FROM alerts WHERE alerts.tenant = known.tenant AND closed_ms IS NULL)
  ) LIMIT ?2`
