export {
  type AlertBounds,
  type CalibratedCollection,
  type CountedDecisions,
  findAlerts,
  findCalibrationAlerts,
} from './alerts/alert-rules.ts'
export { console } from './console.ts'
export { type ConsoleErrorCode, CONSOLE_STATUS, ConsoleError } from './errors.ts'
export { feedbackHeader } from './feedback-header.ts'
export { consoleJobs, type Jobs, runJobs } from './jobs/jobs.ts'
export type { AlertOptions, ConsoleOptions, ExportOptions, StandingCollection } from './options.ts'
export { type ConsoleParts, type ConsoleStores, openConsole } from './parts.ts'
export { type Alert, type Alerts, createD1Alerts } from './d1/alerts.ts'
export { createD1ApiKeys } from './d1/api-keys.ts'
export { type Arrivals, createD1Arrivals } from './d1/arrivals.ts'
export { type AuditTrail, createD1AuditTrail } from './d1/audit-trail.ts'
export { type Erasures, createD1Erasures } from './d1/erasures.ts'
export { type Feedback, type LabelCount, createD1Feedback } from './d1/feedback.ts'
export { type Policies, type PushedPolicy, createD1Policies } from './d1/policies.ts'
export {
  type DecisionRow,
  type ListedDecision,
  type Position,
  type RecordedDecision,
  type RecordedDecisions,
  createD1RecordedDecisions,
} from './d1/recorded-decisions.ts'
export { type Retention, createD1Retention } from './d1/retention.ts'
export { type Interval, type Statistics, type StatisticsSummary, createD1Statistics } from './d1/statistics.ts'
export type { Savings } from './d1/statistics/savings.ts'
export type { TotalsOf } from './d1/statistics/totals.ts'
export { type DecisionFilter, EVERY_TENANT } from './d1/statistics/wanted.ts'
export { type WeakSpots, createD1WeakSpots } from './d1/weak-spots.ts'
export { type AnswerTokens, createAnswerTokens, timeOfEvent } from './feedback/answer-token.ts'
export type { ApiKey, ApiKeys, MadeApiKey } from './keys/api-keys.ts'
export { type BearerAuthenticatorOptions, createBearerAuthenticator } from './keys/bearer-tokens.ts'
