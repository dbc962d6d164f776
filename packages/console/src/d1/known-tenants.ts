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
