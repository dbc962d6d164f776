import { RagGateError } from '../../errors.ts'

/** Longest that a copy in the isolate may answer instead of the database, milliseconds. */
const LONGEST_COPY_MAX_AGE_MS = 60_000

/** Checks how old a copy may be. @throws `config_invalid` outside of 0..60,000 */
export function requireCopyMaxAge(ageMs: number, param = 'copyMaxAgeMs'): void {
  if (ageMs >= 0 && ageMs <= LONGEST_COPY_MAX_AGE_MS) return
  throw new RagGateError('config_invalid', `${param} must lie in 0..60,000`, { param })
}
