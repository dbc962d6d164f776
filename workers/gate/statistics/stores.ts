/** What the statistics' routes and jobs read and write. */
import { type AuditTrail, createD1AuditTrail } from '../../../src/adapters/d1/audit-trail.ts'
import { createD1RecordedDecisions, type RecordedDecisions } from '../../../src/adapters/d1/recorded-decisions.ts'
import { createD1Statistics, type Statistics } from '../../../src/adapters/d1/statistics.ts'
import { createD1WeakSpots, type WeakSpots } from '../../../src/adapters/d1/weak-spots.ts'
import type { Clock } from '../../../src/ports/clock.ts'

/** Everything that the statistics keep in D1, behind small interfaces. */
export interface StatisticsStores {
  readonly summaries: Statistics
  readonly recorded: RecordedDecisions
  readonly weakSpots: WeakSpots
  readonly audit: AuditTrail
}

/** The stores over one database. */
export function statisticsStores(db: D1Database, clock: Clock): StatisticsStores {
  return {
    summaries: createD1Statistics({ db }),
    recorded: createD1RecordedDecisions({ db }),
    weakSpots: createD1WeakSpots({ db }),
    audit: createD1AuditTrail({ db, clock }),
  }
}
