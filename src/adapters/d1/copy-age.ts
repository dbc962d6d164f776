import { number } from '../../core/lib/options.ts'

/** How old a copy in the isolate may be that answers instead of the database, milliseconds. */
export const COPY_AGE = number(0, 60_000)
