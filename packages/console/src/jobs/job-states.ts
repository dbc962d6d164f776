/** How each job stands. */
import type { ConsoleParts } from '../parts.ts'

/** Every quarter of an hour jobs are run, and one time more may be missed; runs that go like the last are noted once an hour. */
const EXPECTED_WITHIN_MS = 90 * 60_000

/** A job, as it is sent. */
export interface JobState {
  readonly name: string
  /** When a run was last noted, ISO 8601. */
  readonly ran_at: string
  /** Whether that run threw. */
  readonly failed: boolean
  /** Since when it left work over, failed, or was not run. */
  readonly behind_seconds: number
}

/** Every job that was ever run, as `/health` and `/alerts` tell of it. @throws `schema_outdated`, `store_unavailable` */
export async function jobStates({ jobRecords, clock }: ConsoleParts): Promise<readonly JobState[]> {
  const nowMs = clock.nowMs()
  return (await jobRecords.list()).map(({ name, ranMs, behindSinceMs, failed }) => ({
    name,
    ran_at: new Date(ranMs).toISOString(),
    failed,
    behind_seconds: Math.max(0, Math.round((nowMs - (behindSinceMs ?? ranMs + EXPECTED_WITHIN_MS)) / 1000)),
  }))
}
