import { RagGateError } from '../../errors.ts'

/** Longest that a copy in the isolate may answer instead of the database, milliseconds. */
const LONGEST_COPY_MAX_AGE_MS = 60_000

/** Checks how old a copy may be. @throws `config_invalid` outside of 0..60,000 */
export function requireCopyMaxAge(copyMaxAgeMs: number): void {
  if (copyMaxAgeMs >= 0 && copyMaxAgeMs <= LONGEST_COPY_MAX_AGE_MS) return
  throw new RagGateError('config_invalid', 'copyMaxAgeMs must lie in 0..60,000', { param: 'copyMaxAgeMs' })
}
