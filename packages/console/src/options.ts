/** What a console is made of. */
import type { D1Database, R2Bucket } from '@cloudflare/workers-types'
import {
  callable,
  group,
  methods,
  number,
  oneOf,
  type OptionKind,
  type OptionKinds,
  required,
  requireOptions,
  strings,
  type Tenant,
  text,
} from 'hono-rag-gate/core/lib'
import { httpUrl } from 'hono-rag-gate/http'
import type { Policy, PolicyPin } from 'hono-rag-gate/core/policy'
import type { Prices } from 'hono-rag-gate/core/reports'
import type { AnswerPurges, Authenticate, Clock, DecisionLog, IndexRoom, Principal } from 'hono-rag-gate/ports'
import type { AlertBounds } from './alerts/alert-rules.ts'
import type { AnswerTokens } from './feedback/answer-token.ts'

/** Options of `console`, and of its jobs. */
export interface ConsoleOptions {
  /** Database with the migrations of `hono-rag-gate/d1/migrations` applied. */
  readonly db: D1Database
  /** Finds out who asks. Everything but feedback needs the scope `admin`, and concerns the tenant of who asks. */
  readonly authenticate: Authenticate
  /** Who may act for every tenant: names one by `?tenant=`, and sums up all by `?tenant=*`. @default no principal */
  readonly isOperator?: (principal: Principal) => boolean
  /**
   * The policy of an id, or of one of `policyNames`, for replays and for what follows from feedback.
   *
   * @default none is known
   */
  readonly policyOf?: (tenant: Tenant, asked: string) => Policy | undefined | Promise<Policy | undefined>
  /** Names of the policies that can be chosen. @default none */
  readonly policyNames?: readonly string[]
  /** The log of the gate: flushed before figures are read. @default what an isolate still holds is not counted */
  readonly log?: Pick<DecisionLog, 'flush'>
  /** `createAnswerTokens(…)`: those who were answered can say something of it. @default every answer is unknown */
  readonly answerTokens?: AnswerTokens | undefined
  /** The purges of the gate's answer cache: an answer that its reader calls wrong is not sent again. @default it is */
  readonly purges?: Pick<AnswerPurges, 'purge'>
  /** Those of the gate's `savings`: what was spent is told beside what was saved. @default none are known */
  readonly prices?: Prices | undefined
  /** Days for which single decisions are kept; counts stay. 1..3650. @default 90 */
  readonly decisionDays?: number | undefined
  /** Most decisions that are kept, of all tenants; of more the oldest go. 1,000 and up. @default 4,000,000 */
  readonly decisionsAtMost?: number | undefined
  /** Days for which the audit trail is kept. 1..3650. @default 730 */
  readonly auditDays?: number | undefined
  /** What the job looks at. @default the bounds of `AlertBounds`, and no webhook */
  readonly alerts?: AlertOptions
  /** Where each day's decisions are exported to. @default nowhere */
  readonly exports?: ExportOptions | undefined
  /** @default the system's */
  readonly clock?: Clock
}

/** Options of the alerts. */
export interface AlertOptions {
  readonly bounds?: AlertBounds
  /** Told by POST when an alert opens or closes. @default no webhook */
  readonly webhookUrl?: string | undefined
  /** Signs what is told, as Standard Webhooks do: 32 characters and up. @default nothing is signed */
  readonly webhookSecret?: string | undefined
  /** Tenant whose alerts also tell of decisions that were lost, which belong to no tenant. @default they are in no alert */
  readonly operatorTenant?: Tenant | undefined
  /** The collections of a tenant as they stand, for policies that were calibrated on one. @default none is compared */
  readonly collectionsOf?: (tenant: Tenant) => Promise<readonly StandingCollection[]>
  /** How full the fullest index of a tenant is. @default it is not known */
  readonly roomOf?: (tenant: Tenant) => Promise<IndexRoom | undefined>
  /**
   * Gives tenants to a queue, whose consumer calls `watchTenants`: of more than 25 at once each 25 are a message. `turn`
   * counts them from 0, for delays. @default a run looks at as many as D1 takes, and the next goes on
   */
  readonly spread?: ((tenants: readonly Tenant[], turn: number) => Promise<unknown>) | undefined
}

/** A collection as a pin would name it, and the policy that is chosen for it. */
export interface StandingCollection {
  readonly pin: PolicyPin
  readonly policyId: string | null
}

/** Options of the export. */
export interface ExportOptions {
  readonly bucket: R2Bucket
  /** @default 'jsonl' */
  readonly format?: 'jsonl' | 'csv'
}

const share = number(0, 1)
/** A secret that signs what a webhook is told: behind `whsec_` it is base64, as Standard Webhooks have it. */
export const webhookSecret: OptionKind = {
  words: 'a text of 32 characters and up, of base64 behind whsec_',
  holds: (value) =>
    typeof value === 'string' &&
    value.length >= 32 &&
    /^(?!whsec_)|^whsec_(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2,3}=*)?$/.test(value),
}
const BOUNDS: OptionKinds<AlertBounds> = {
  refusedAtMost: share,
  refusedAtLeast: share,
  passedAtLeast: share,
  failedAtMost: share,
  p95AtMostMs: number(0),
  driftAtMost: number(0),
  minDecisions: number(1),
}
const OPTIONS: OptionKinds<ConsoleOptions> = {
  db: required(methods('prepare', 'batch')),
  authenticate: required(callable),
  isOperator: callable,
  policyOf: callable,
  policyNames: strings,
  log: methods('flush'),
  answerTokens: methods('sign', 'read'),
  purges: methods('purge'),
  prices: group<Prices>({
    currency: required(text),
    inputPerMillionTokens: required(number(0)),
    outputPerMillionTokens: required(number(0)),
    perRetrieval: required(number(0)),
  }),
  decisionDays: number(1, 3650),
  decisionsAtMost: number(1_000),
  auditDays: number(1, 3650),
  alerts: group<AlertOptions>({
    bounds: group<AlertBounds>(BOUNDS),
    webhookUrl: httpUrl,
    webhookSecret,
    operatorTenant: text,
    collectionsOf: callable,
    roomOf: callable,
    spread: callable,
  }),
  exports: group<ExportOptions>({ bucket: required(methods('list', 'put')), format: oneOf('jsonl', 'csv') }),
  clock: methods('nowMs'),
}

/** @throws `config_invalid` naming the option that is missing, unknown or of another kind */
export function checkOptions(options: ConsoleOptions): void {
  requireOptions(options, OPTIONS)
}
