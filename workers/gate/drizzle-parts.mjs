/**
 * In the place of drizzle's relational queries, of its enums of Postgres, of columns and queries given by a function, of keys,
 * which the migrations alone have, of counting whole tables and of names in another case, of which none is used here: 6 kB gzipped
 * that stay out of the Worker. What is left of drizzle names them; it asks whether a value is an enum of Postgres, and for
 * the names of columns and of their unique keys, and calls none of the others.
 */
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
export const [SQLiteCountBuilder, ForeignKeyBuilder, QueryBuilder] = [unused, unused, unused]
export const uniqueKeyName = unused
export class CasingCache {
  getColumnCasing({ name }) {
    return name
  }
}
export const [SQLiteUpdateBuilder, SQLiteUpdateBase, SQLiteDeleteBase] = [unused, unused, unused]
