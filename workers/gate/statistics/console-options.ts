/** The console, with the settings of the deployment. */
import type { AnswerTokens, ConsoleOptions, Policies } from '@hono-rag-gate/console'
import { RagGateError } from 'hono-rag-gate/errors'
import type { IngestPorts } from '@hono-rag-gate/ingest'
import type { Authenticate, Clock, DecisionLog, Principal } from 'hono-rag-gate/ports'
import type { GateBindings } from '../bindings.ts'
import { daysOf } from '../days-of.ts'
import { standing } from '../policies/pins.ts'
import { policyAsked } from '../policies/policy-for.ts'
import { POLICY_NAMES } from '../policies/policy-named.ts'
import { alertBoundsOf } from './alert-bounds.ts'

/** What the composition has for it. */
export interface ConsoleGiven {
  readonly authenticate: Authenticate
  readonly isOperator: (principal: Principal) => boolean
  readonly answerTokens: AnswerTokens | undefined
  readonly log: DecisionLog
  readonly clock: Clock
  readonly collections: IngestPorts['collections']
  readonly policies: Policies
  /** Names what reads passages. */
  readonly reader: string | null
}

/** @throws `config_invalid` naming the variable at fault */
export function consoleOptions(env: GateBindings, given: ConsoleGiven): ConsoleOptions {
  const { authenticate, isOperator, answerTokens, log, clock, collections, policies, reader } = given
  return {
    db: env.DB,
    authenticate,
    isOperator,
    policyOf: (tenant, asked) => policyAsked({ policies }, tenant, asked),
    policyNames: POLICY_NAMES,
    log,
    clock,
    alerts: {
      bounds: alertBoundsOf(env),
      webhookUrl: env.ALERT_WEBHOOK_URL,
      collectionsOf: async (tenant) =>
        (await collections.list(tenant)).map((collection) => ({
          pin: standing(collection, reader),
          policyId: collection.policyId,
        })),
    },
    exports: exportsOf(env),
    answerTokens,
    currency: env.PRICE_CURRENCY,
    decisionDays: daysOf(env, 'DECISION_RETENTION_DAYS'),
    auditDays: daysOf(env, 'AUDIT_RETENTION_DAYS'),
  }
}

function exportsOf({ EXPORTS: bucket, EXPORT_FORMAT: format = 'jsonl' }: GateBindings): ConsoleOptions['exports'] {
  if (bucket === undefined) return undefined
  if (format === 'jsonl' || format === 'csv') return { bucket, format }
  throw new RagGateError('config_invalid', 'EXPORT_FORMAT must be jsonl or csv', { param: 'EXPORT_FORMAT' })
}
