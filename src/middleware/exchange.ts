/** One request on its way through the gate. */
import type { MessagesByCode } from '../core/reports/refusal.ts'
import type { QuestionRequest } from '../pipeline/question-settings.ts'
import type { RouteSettings } from './check-options.ts'
import type { ResolvedDependencies } from './dependencies.ts'
import type { ExchangeCache } from './gate-cache.ts'

/** One request on its way. */
export interface Exchange {
  readonly settings: RouteSettings
  readonly dependencies: ResolvedDependencies
  readonly messages?: MessagesByCode
  readonly request: QuestionRequest
  /** Absent without an answer cache. */
  readonly cache?: ExchangeCache
  readonly startedMs: number
  /** Path under which the gate is mounted. */
  readonly route: string
}
