/** The console: a mountable app over the application's D1, its jobs, and the parts for its options. */
export type { AlertBounds } from './alerts/alert-rules.ts'
export { console } from './console.ts'
export { type CountedDatabase, countedDatabase } from './d1/counted-database.ts'
export { createD1ApiKeys } from './d1/api-keys.ts'
export { type Policies, type PushedPolicy, createD1Policies } from './d1/policies.ts'
export type { DecisionRow } from './d1/recorded-decisions.ts'
export { type Statistics, type StatisticsSummary, createD1Statistics } from './d1/statistics.ts'
export { type DecisionFilter, EVERY_TENANT } from './d1/statistics/wanted.ts'
export { type ConsoleErrorCode, CONSOLE_STATUS, ConsoleError } from './errors.ts'
export { feedbackHeader } from './feedback/feedback-header.ts'
export { type AnswerTokens, createAnswerTokens } from './feedback/answer-token.ts'
export { type JobState, jobStates } from './jobs/job-states.ts'
export { consoleJobs, type Jobs, runJobs } from './jobs/jobs.ts'
export { watchTenants } from './jobs/watch-alerts.ts'
export type { ApiKey, ApiKeys, MadeApiKey } from './keys/api-keys.ts'
export { type BearerAuthenticatorOptions, createBearerAuthenticator } from './keys/bearer-tokens.ts'
export { type LimitedRequests, limitRequests } from './limits/limit-requests.ts'
export {
  createBindingRateLimiter,
  createMemoryRateLimiter,
  type RateLimitBinding,
  type RateLimiter,
} from './limits/rate-limiter.ts'
export { createD1DocumentBudget, type DocumentBudget } from './limits/document-budget.ts'
export { createD1TokenBudget, type TokenBudget } from './limits/token-budget.ts'
export { limitWrongTokens } from './limits/wrong-tokens.ts'
export { type AlertOptions, type ConsoleOptions, type ExportOptions, type StandingCollection } from './options.ts'
export { type ConsoleParts, type ConsoleStores, openConsole } from './parts.ts'
