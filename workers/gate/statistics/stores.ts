/** What the statistics' routes and jobs read and write. */
import { type Alerts, createD1Alerts } from '../../../src/adapters/d1/alerts.ts'
import { type Arrivals, createD1Arrivals } from '../../../src/adapters/d1/arrivals.ts'
import { type AuditTrail, createD1AuditTrail } from '../../../src/adapters/d1/audit-trail.ts'
import { createD1Erasures, type Erasures } from '../../../src/adapters/d1/erasures.ts'
import { createD1Feedback, type Feedback } from '../../../src/adapters/d1/feedback.ts'
import { createD1RecordedDecisions, type RecordedDecisions } from '../../../src/adapters/d1/recorded-decisions.ts'
import { createD1Retention, type Retention } from '../../../src/adapters/d1/retention.ts'
import { createD1Statistics, type Statistics } from '../../../src/adapters/d1/statistics.ts'
import { createD1WeakSpots, type WeakSpots } from '../../../src/adapters/d1/weak-spots.ts'
import { RagGateError } from '../../../src/errors.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { GateBindings } from '../bindings.ts'

/** Everything that the statistics keep in D1, behind small interfaces. */
export interface StatisticsStores {
  readonly summaries: Statistics
  readonly recorded: RecordedDecisions
  readonly arrivals: Arrivals
  readonly weakSpots: WeakSpots
  readonly audit: AuditTrail
  readonly retention: Retention
  readonly erasures: Erasures
  readonly feedback: Feedback
  readonly alerts: Alerts
}

/**
 * The stores over the database.
 *
 * @throws `config_invalid` when a number of days is out of range
 */
export function statisticsStores(env: GateBindings, clock: Clock): StatisticsStores {
  const { DB: db } = env
  const decisionDays = daysOf(env, 'DECISION_RETENTION_DAYS')
  const auditDays = daysOf(env, 'AUDIT_RETENTION_DAYS')
  return {
    summaries: createD1Statistics({ db }),
    recorded: createD1RecordedDecisions({ db }),
    arrivals: createD1Arrivals({ db }),
    weakSpots: createD1WeakSpots({ db }),
    audit: createD1AuditTrail({ db }),
    retention: createD1Retention({
      db,
      clock,
      ...(decisionDays === undefined ? {} : { decisionDays }),
      ...(auditDays === undefined ? {} : { auditDays }),
    }),
    erasures: createD1Erasures({ db, clock }),
    feedback: createD1Feedback({ db, clock }),
    alerts: createD1Alerts({ db, clock }),
  }
}

/** A number of days among the bindings; `undefined` where it is not set. */
export function daysOf(
  env: GateBindings,
  name: 'DECISION_RETENTION_DAYS' | 'AUDIT_RETENTION_DAYS' | 'STORE_QUESTIONS_DAYS',
): number | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  if (/^\d{1,4}$/.test(value)) return Number(value)
  throw new RagGateError('config_invalid', `${name} must be a number of days`, { param: name })
}
