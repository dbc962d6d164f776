/** Builds a console's parts for its routes and jobs. */
import { oncePer, type Tenant } from 'hono-rag-gate/core/lib'
import type { Prices } from 'hono-rag-gate/core/reports'
import type { Policy } from 'hono-rag-gate/core/policy'
import type { Authenticate, Clock, Principal } from 'hono-rag-gate/ports'
import { type Alerts, createD1Alerts } from './d1/alerts.ts'
import { type Arrivals, createD1Arrivals } from './d1/arrivals.ts'
import { type AuditTrail, createD1AuditTrail } from './d1/audit-trail.ts'
import { countedDatabase } from './d1/counted-database.ts'
import { type Counting, createD1Counting } from './d1/counting.ts'
import { createD1Erasures, type Erasures } from './d1/erasures.ts'
import { createD1Feedback, type Feedback } from './d1/feedback.ts'
import { createD1JobRecords, type JobRecords } from './d1/job-records.ts'
import { createD1Policies, type Policies } from './d1/policies.ts'
import { createD1RecordedDecisions, type RecordedDecisions } from './d1/recorded-decisions.ts'
import { createD1RequestFaults, type RequestFaults } from './d1/request-faults.ts'
import { createD1Retention, type Retention } from './d1/retention.ts'
import { createD1Statistics, type Statistics } from './d1/statistics.ts'
import { createD1WeakSpots, type WeakSpots } from './d1/weak-spots.ts'
import type { AnswerTokens } from './feedback/answer-token.ts'
import { type AlertOptions, checkOptions, type ConsoleOptions, type ExportOptions } from './options.ts'

/** Stores in D1, by interface. */
export interface ConsoleStores {
  readonly counting: Counting
  readonly summaries: Statistics
  readonly recorded: RecordedDecisions
  readonly arrivals: Arrivals
  readonly weakSpots: WeakSpots
  readonly audit: AuditTrail
  readonly retention: Retention
  readonly erasures: Erasures
  readonly feedback: Feedback
  readonly alerts: Alerts
  readonly jobRecords: JobRecords
  readonly requestFaults: RequestFaults
  readonly policies: Policies
}

/** A console's options with defaults, and its stores. */
export interface ConsoleParts extends ConsoleStores {
  readonly authenticate: Authenticate
  readonly isOperator: (principal: Principal) => boolean
  readonly policyOf: (tenant: Tenant, asked: string) => Promise<Policy | undefined>
  readonly policyNames: readonly string[]
  /** Flushes decisions buffered in this isolate, so that they are counted too. */
  readonly flush: () => Promise<void>
  readonly answerTokens: AnswerTokens | undefined
  readonly purges: ConsoleOptions['purges']
  readonly prices: Prices | undefined
  readonly decisionDays: number
  readonly alertSettings: AlertOptions
  readonly exports: ExportOptions | undefined
  readonly clock: Clock
  /** Number of statements sent to D1 so far. */
  readonly statements: () => number
}

const SYSTEM_CLOCK: Clock = { nowMs: () => Date.now() }
const DECISION_DAYS = 90
const AUDIT_DAYS = 730

/**
 * The parts of a console, made once per options object, so that routes and jobs share them.
 *
 * @throws `config_invalid` naming the invalid option
 */
export const openConsole: (options: ConsoleOptions) => ConsoleParts = oncePer((options) => {
  checkOptions(options)
  return partsOf(options)
})

/** Gives the parts for a request's bindings; an options function is called once per bindings object. */
export function partsFor<Bindings extends object>(
  given: ConsoleOptions | ((env: Bindings) => ConsoleOptions),
): (env: Bindings) => ConsoleParts {
  if (typeof given !== 'function') {
    const parts = openConsole(given)
    return () => parts
  }
  const byBindings = new WeakMap<object, ConsoleParts>()
  return (env) => {
    // Outside of Workers, Hono may have no bindings; all requests then share the parts.
    const holder: object = env ?? given
    const known = byBindings.get(holder)
    if (known !== undefined) return known
    const made = openConsole(given(env))
    byBindings.set(holder, made)
    return made
  }
}

function partsOf(options: ConsoleOptions): ConsoleParts {
  const { log, policyOf, clock = SYSTEM_CLOCK, decisionDays = DECISION_DAYS, auditDays = AUDIT_DAYS } = options
  const { db, statements } = countedDatabase(options.db)
  return {
    statements,
    authenticate: options.authenticate,
    isOperator: options.isOperator ?? (() => false),
    policyOf: async (tenant, asked) => policyOf?.(tenant, asked),
    policyNames: options.policyNames ?? [],
    flush: async () => log?.flush(),
    answerTokens: options.answerTokens,
    purges: options.purges,
    prices: options.prices,
    decisionDays,
    alertSettings: options.alerts ?? {},
    exports: options.exports,
    clock,
    counting: createD1Counting({ db }),
    summaries: createD1Statistics({ db }),
    recorded: createD1RecordedDecisions({ db }),
    arrivals: createD1Arrivals({ db }),
    weakSpots: createD1WeakSpots({ db }),
    audit: createD1AuditTrail({ db }),
    retention: createD1Retention({
      db,
      clock,
      decisionDays,
      decisionsAtMost: options.decisionsAtMost,
      auditDays,
    }),
    erasures: createD1Erasures({ db, clock }),
    feedback: createD1Feedback({ db, clock }),
    alerts: createD1Alerts({ db, clock }),
    jobRecords: createD1JobRecords({ db }),
    requestFaults: createD1RequestFaults({ db }),
    policies: createD1Policies({ db, clock }),
  }
}
