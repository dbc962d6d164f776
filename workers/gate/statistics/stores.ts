/** What the statistics' routes and jobs read and write. */
import {
  type Alerts,
  type Arrivals,
  type AuditTrail,
  createD1Alerts,
  createD1Arrivals,
  createD1AuditTrail,
  createD1Erasures,
  createD1Feedback,
  createD1RecordedDecisions,
  createD1Retention,
  createD1Statistics,
  createD1WeakSpots,
  type Erasures,
  type Feedback,
  type RecordedDecisions,
  type Retention,
  type Statistics,
  type WeakSpots,
} from '@hono-rag-gate/console'
import { RagGateError } from 'hono-rag-gate/errors'
import type { Clock } from 'hono-rag-gate/ports'
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
