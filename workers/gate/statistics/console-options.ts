/** Options of the console from the deployment's settings. */
import type { AnswerTokens, ConsoleOptions, Policies } from '@hono-rag-gate/console'
import type { IngestPorts } from '@hono-rag-gate/ingest'
import { namespaceOf } from 'hono-rag-gate/core/lib'
import type { AnswerPurges, Authenticate, Clock, DecisionLog, Principal } from 'hono-rag-gate/ports'
import type { GateBindings } from '../bindings.ts'
import { standing } from '../policies/pins.ts'
import { policyAsked } from '../policies/policy-for.ts'
import { POLICY_NAMES } from '../policies/policy-named.ts'
import { numberIn } from '../settings.ts'
import { alertBoundsOf } from './alert-bounds.ts'
import { pricesOf } from './savings-ledger.ts'

/** Parts from the composition. */
export interface ConsoleGiven {
  readonly authenticate: Authenticate
  readonly isOperator: (principal: Principal) => boolean
  readonly answerTokens: AnswerTokens | undefined
  readonly purges: AnswerPurges
  readonly log: DecisionLog
  readonly clock: Clock
  readonly collections: IngestPorts['collections']
  readonly index: IngestPorts['index']
  readonly policies: Policies
  /** Id of the reranker. */
  readonly reader: string | null
}

/** The variables were validated before. */
export function consoleOptions(env: GateBindings, given: ConsoleGiven): ConsoleOptions {
  const { authenticate, isOperator, answerTokens, purges, log, clock, collections, index, policies, reader } = given
  const { DECISIONS_QUEUE: queue } = env
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
      webhookSecret: env.ALERT_WEBHOOK_SECRET,
      operatorTenant: 'default',
      // Delayed, so that an invocation gets few of them.
      spread: queue && ((watch, turn) => queue.send({ watch }, { delaySeconds: turn * 2 })),
      collectionsOf: async (tenant) =>
        (await collections.list(tenant)).map((collection) => ({
          pin: standing(collection, reader),
          policyId: collection.policyId,
        })),
      roomOf: async (tenant) => {
        // Each is queried separately, and an invocation may send a thousand subrequests. In D1 all share one capacity.
        const some = (await collections.list(tenant)).slice(0, env.UPSTASH_VECTOR_REST_URL === undefined ? 10 : 100)
        const asked = some.map(({ id }) => index.settle(namespaceOf(tenant, id)))
        const rooms = (await Promise.all(asked)).flatMap((room) => room ?? [])
        return rooms.sort((a, b) => b.usedBytes / b.limitBytes - a.usedBytes / a.limitBytes)[0]
      },
    },
    exports: exportsOf(env),
    answerTokens,
    purges,
    prices: pricesOf(env),
    decisionDays: numberIn(env, 'DECISION_RETENTION_DAYS'),
    decisionsAtMost: numberIn(env, 'DECISIONS_AT_MOST'),
    auditDays: numberIn(env, 'AUDIT_RETENTION_DAYS'),
  }
}

function exportsOf({ EXPORTS: bucket, EXPORT_FORMAT: format }: GateBindings): ConsoleOptions['exports'] {
  return bucket && { bucket, format: format === 'csv' ? 'csv' : 'jsonl' }
}
