import { isRagGateError, RagGateError } from '../../errors.ts'

/** The database lacks a table or column that the migrations of `d1/` create. */
export function schemaOutdated(cause?: unknown): RagGateError {
  return new RagGateError('schema_outdated', 'The database lacks a table: apply the migrations', { cause })
}

/**
 * Rethrows an error of D1 as a `RagGateError`; a `RagGateError` is rethrown unchanged.
 *
 * @throws `schema_outdated` if a table or column is missing, `store_unavailable` otherwise
 */
export function rethrowStoreFault(thrown: unknown): never {
  if (isRagGateError(thrown)) throw thrown
  // D1 reports a missing table or column only in its message, which drizzle wraps.
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (/no such (table|column)/.test(cause.message)) throw schemaOutdated(thrown)
  }
  throw new RagGateError('store_unavailable', 'The database cannot answer now', { cause: thrown })
}
