/**
 * In the place of drizzle's relational queries, of which none is used here: 2 kB gzipped that stay out of the Worker. Its
 * other queries name these and never call them.
 */
export class RelationalQueryBuilder {}
export class Relation {}
export class One extends Relation {}
export class Many extends Relation {}
export const extractTablesRelationalConfig = undefined
export const createTableRelationsHelpers = undefined
export const getOperators = undefined
export const getOrderByOperators = undefined
export const mapRelationalRow = undefined
export const normalizeRelation = undefined
