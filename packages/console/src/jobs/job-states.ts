/** States of the jobs. */
import type { ConsoleParts } from '../parts.ts'

/** Jobs run every quarter of an hour, one run may be missed, and runs with unchanged results are recorded hourly. */
const EXPECTED_WITHIN_MS = 90 * 60_000

/** A job's state in wire form. */
export interface JobState {
  readonly name: string
  /** Time of the last recorded run, ISO 8601. */
  readonly ran_at: string
  /** Whether that run threw. */
  readonly failed: boolean
  /** How long it has been leaving work, failing, or not running. */
  readonly behind_seconds: number
}

/** States of all jobs that ever ran, for `/health` and `/alerts`. @throws `schema_outdated`, `store_unavailable` */
export async function jobStates({ jobRecords, clock }: ConsoleParts): Promise<readonly JobState[]> {
  const nowMs = clock.nowMs()
  return (await jobRecords.list()).map(({ name, ranMs, behindSinceMs, failed }) => ({
    name,
    ran_at: new Date(ranMs).toISOString(),
    failed,
    behind_seconds: Math.max(0, Math.round((nowMs - (behindSinceMs ?? ranMs + EXPECTED_WITHIN_MS)) / 1000)),
  }))
}
