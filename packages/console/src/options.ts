/** Options of the console. */
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
  /** Authenticates callers. Everything but feedback requires the scope `admin`, and concerns the caller's tenant. */
  readonly authenticate: Authenticate
  /** Whether a principal may act for every tenant: `?tenant=` names one, `*` means all. @default no principal */
  readonly isOperator?: (principal: Principal) => boolean
  /**
   * Resolves a policy by id or by one of `policyNames`, for replays and for suggestions from feedback.
   *
   * @default none is known
   */
  readonly policyOf?: (tenant: Tenant, asked: string) => Policy | undefined | Promise<Policy | undefined>
  /** Names of the policies that can be chosen. @default none */
  readonly policyNames?: readonly string[]
  /** The gate's log, flushed before figures are read. @default decisions buffered in isolates are not counted */
  readonly log?: Pick<DecisionLog, 'flush'>
  /** `createAnswerTokens(…)`: lets callers rate their answers. @default every rating is rejected */
  readonly answerTokens?: AnswerTokens | undefined
  /** The purges of the gate's answer cache: an answer rated wrong is purged. @default it is not */
  readonly purges?: Pick<AnswerPurges, 'purge'>
  /** The prices in the gate's `savings`, to show what was spent. @default unknown */
  readonly prices?: Prices | undefined
  /** Days for which single decisions are kept; counts are kept for ever. 1..3650. @default 90 */
  readonly decisionDays?: number | undefined
  /** Maximum number of stored decisions of all tenants; the oldest are removed. 1,000 and up. @default 4,000,000 */
  readonly decisionsAtMost?: number | undefined
  /** Days for which the audit trail is kept. 1..3650. @default 730 */
  readonly auditDays?: number | undefined
  /** Options of the alerts job. @default the bounds of `AlertBounds`, and no webhook */
  readonly alerts?: AlertOptions
  /** Destination of the daily export. @default none */
  readonly exports?: ExportOptions | undefined
  /** @default the system's */
  readonly clock?: Clock
}

/** Options of the alerts. */
export interface AlertOptions {
  readonly bounds?: AlertBounds
  /** URL to POST to when an alert opens or closes. @default no webhook */
  readonly webhookUrl?: string | undefined
  /** Secret for signing webhook requests by Standard Webhooks, at least 32 characters. @default unsigned */
  readonly webhookSecret?: string | undefined
  /** Tenant whose alerts include lost decisions, which belong to no tenant. @default in no alert */
  readonly operatorTenant?: Tenant | undefined
  /** The current state of a tenant's collections, to compare with calibrated policies. @default none is compared */
  readonly collectionsOf?: (tenant: Tenant) => Promise<readonly StandingCollection[]>
  /** Capacity of a tenant's fullest index. @default unknown */
  readonly roomOf?: (tenant: Tenant) => Promise<IndexRoom | undefined>
  /**
   * Distributes tenants to a queue, whose consumer calls `watchTenants`; more than 25 are divided into messages of 25.
   * `turn` counts messages from 0, for delays. @default one run checks as many as D1 permits, and the next continues
   */
  readonly spread?: ((tenants: readonly Tenant[], turn: number) => Promise<unknown>) | undefined
}

/** The current state of a collection as in a pin, and the policy chosen for it. */
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
/** A secret for signing webhook requests; after `whsec_` it is base64, as in Standard Webhooks. */
export const webhookSecret: OptionKind = {
  words: 'a text of 32 characters and up, of base64 behind whsec_',
  holds: (value) =>
    typeof value === 'string' &&
    value.length >= 32 &&
    /^(?!whsec_)|^whsec_(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==)?|[A-Za-z\d+/]{3}=?)?$/.test(value),
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

/** @throws `config_invalid` naming the option that is missing, unknown or invalid */
export function checkOptions(options: ConsoleOptions): void {
  requireOptions(options, OPTIONS)
}
