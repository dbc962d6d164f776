import { number } from '../../core/lib/options.ts'

/** Largest age at which a copy in the isolate is used instead of the database, milliseconds. */
export const COPY_AGE = number(0, 60_000)
