import { isRagGateError, RagGateError } from '../../errors.ts'

/** The database lacks something that the migrations of `d1/` make. */
export function schemaOutdated(cause?: unknown): RagGateError {
  return new RagGateError('schema_outdated', 'The database lacks a table: apply the migrations', { cause })
}

/**
 * Throws an error of D1 again in this package's words; one that has them already as it is.
 *
 * @throws `schema_outdated` when a table or column is missing, `store_unavailable` otherwise
 */
export function rethrowStoreFault(thrown: unknown): never {
  if (isRagGateError(thrown)) throw thrown
  // D1 tells a missing table or column only by its message, which drizzle wraps.
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    if (/no such (table|column)/.test(cause.message)) throw schemaOutdated(thrown)
  }
  throw new RagGateError('store_unavailable', 'The database cannot answer now', { cause: thrown })
}
