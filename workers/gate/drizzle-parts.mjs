/**
 * Replaces unused parts of drizzle in the bundle, saving kilobytes: Postgres enums, columns and queries given by a
 * function, keys, indexes and checks (which only migrations need), and tracing. The rest of drizzle imports these
 * names, and only calls those with a body below.
 */
export const [entityKind, hasOwnEntityKind] = ['entityKind', 'hasOwnEntityKind'].map((name) =>
  Symbol.for(`drizzle:${name}`),
)
/** Each class exists once here, so `instanceof` is enough; drizzle compares names of ancestors for every value. */
export const is = (value, type) => value instanceof type
export const isPgEnum = () => false
export const getPgColumnBuilders = undefined
export const getSQLiteColumnBuilders = undefined
function unused() {}
export const [ForeignKeyBuilder, QueryBuilder] = [unused, unused]
export const uniqueKeyName = unused
export const [primaryKey, index, uniqueIndex, check] = Array(4).fill(unused)
export const [PrimaryKeyBuilder, IndexBuilder, CheckBuilder] = Array(3).fill(unused)
export const tracer = { startActiveSpan: (_name, run) => run() }
