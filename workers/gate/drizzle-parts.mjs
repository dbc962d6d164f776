/**
 * In the place of drizzle's relational queries, of its enums of Postgres, of columns and queries given by a function, of keys,
 * indexes and checks, which the migrations alone have, of counting whole tables, of tables and names under another, of traces
 * and logs, of which none is used here: 7 kB gzipped that stay out of the Worker. What is left of drizzle names them, and
 * calls those alone that do something below.
 */
export const [entityKind, hasOwnEntityKind] = ['entityKind', 'hasOwnEntityKind'].map((name) =>
  Symbol.for(`drizzle:${name}`),
)
/** Of each class there is one copy here: no name has to be looked for among its ancestors with every value of a query. */
export const is = (value, type) => value instanceof type
export const isPgEnum = () => false
export const getPgColumnBuilders = undefined
export const getSQLiteColumnBuilders = undefined
function unused() {}
export const [RelationalQueryBuilder, Relation, One, Many] = [unused, unused, unused, unused]
export const extractTablesRelationalConfig = undefined
export const createTableRelationsHelpers = undefined
export const getOperators = undefined
export const getOrderByOperators = undefined
export const mapRelationalRow = undefined
export const normalizeRelation = undefined
export const [SQLiteCountBuilder, SQLiteRaw, ForeignKeyBuilder, QueryBuilder] = Array(4).fill(unused)
export const uniqueKeyName = unused
export const [primaryKey, index, uniqueIndex, check] = Array(4).fill(unused)
export const [PrimaryKeyBuilder, IndexBuilder, CheckBuilder] = Array(3).fill(unused)
export class CasingCache {
  getColumnCasing({ name }) {
    return name
  }
}
export const [aliasedTable, aliasedTableColumn, TableAliasProxyHandler, DefaultLogger] = Array(4).fill(unused)
export const [mapColumnsInAliasedSQLToAlias, mapColumnsInSQLToAlias] = [unused, unused]
export const tracer = { startActiveSpan: (_name, run) => run() }
