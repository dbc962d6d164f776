/**
 * Tables, keys and indexes. `npm run migrations` writes changes to `migrations`; a test compares them with the migrated
 * database. Triggers, views and full-text tables are in `raw`. Times are Unix times in milliseconds.
 */
import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  primaryKey,
  real,
  type SQLiteTable,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { AnswerSignals } from '../src/core/answer/answer-signals.ts'
import type { PolicyPin } from '../src/core/policy/policy-pin.ts'
import type { CollectionScale } from '../src/core/scale/collection-scale.ts'
import type { Passage, ScoreKind } from '../src/core/evidence/chunk.ts'
import type { Band, CacheState } from '../src/core/policy/decision.ts'
import type { Finding, Verdict } from '../src/core/gates/finding.ts'
import type { Signals } from '../src/core/signals/measure.ts'
import type { RerankerOutcome } from '../src/core/evidence/rerank.ts'
import type { Json } from '../src/core/lib/json.ts'
import type { Saving } from '../src/core/reports/savings.ts'
import type { Scope } from '../src/ports/authenticator.ts'
import type { AuditEvent } from '../src/core/policy/preset.ts'
import type { Mode } from '../src/ports/decision-log.ts'
import type { StoredCounts } from './figures.ts'

/** All tables. A list instead of the module's namespace, which would name each again in a bundle. */
export const TABLES: SQLiteTable[] = []

const table = ((...definition: Parameters<typeof sqliteTable>) => {
  const defined = sqliteTable(...definition)
  TABLES.push(defined)
  return defined
}) as typeof sqliteTable

/** Collections, with their current versions. */
export const collections = table(
  'collections',
  {
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    corpusVersion: integer('corpus_version').notNull(),
    lexiconId: text('lexicon_id'),
    embeddingModel: text('embedding_model').notNull(),
    dimension: integer('dimension').notNull(),
    policyId: text('policy_id'),
    /** The scale learned from its documents. */
    scale: text('scale', { mode: 'json' }).$type<CollectionScale>(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** Holder of the write lease, until `writerUntilMs`, which is kept when it ends earlier. */
    writer: text('writer'),
    writerUntilMs: integer('writer_until_ms'),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] })],
)

/** Chunks that may be in the index although no published document has them. */
export const unpublishedChunks = table(
  'unpublished_chunks',
  {
    tenant: text('tenant').notNull(),
    collection: text('collection').notNull(),
    chunkId: text('chunk_id').notNull(),
    sinceMs: integer('since_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.collection, table.chunkId] })],
)

/** Collection lexicons in parts. Only part 0 has `supersededAtMs`. */
export const lexicons = table(
  'lexicons',
  {
    id: text('id').notNull(),
    part: integer('part').notNull(),
    body: text('body').notNull(),
    supersededAtMs: integer('superseded_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.id, table.part] })],
)

/** The documents of each collection, with their chunk ids. */
export const documents = table(
  'documents',
  {
    tenant: text('tenant').notNull(),
    collection: text('collection').notNull(),
    id: text('id').notNull(),
    contentHash: text('content_hash').notNull(),
    chunkIds: text('chunk_ids', { mode: 'json' }).$type<readonly string[]>().notNull(),
    embeddingModel: text('embedding_model').notNull(),
    dimension: integer('dimension').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.collection, table.id] })],
)

/** API keys of tenants. */
export const apiKeys = table(
  'api_keys',
  {
    id: text('id').primaryKey(),
    tenant: text('tenant').notNull(),
    name: text('name').notNull(),
    scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull(),
    /** Hex SHA-256 of the secret. */
    secretHash: text('secret_hash').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms'),
    revokedAtMs: integer('revoked_at_ms'),
  },
  (table) => [index('api_keys_by_tenant').on(table.tenant, table.createdAtMs, table.id)],
)

/** Settings of a tenant. */
export const tenants = table('tenants', {
  id: text('id').primaryKey(),
  policyId: text('policy_id'),
})

/** Purges of cached answers; `tenant` is '' for all tenants. */
export const answerPurges = table(
  'answer_purges',
  {
    tenant: text('tenant').notNull(),
    /** Canonical text of a `PurgeScope`. */
    scope: text('scope').notNull(),
    /** Increases with every purge. */
    epoch: integer('epoch').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.scope] }),
    index('answer_purges_by_epoch').on(table.tenant, table.epoch),
  ],
)

/** Pushed policies; never changed. */
export const pushedPolicies = table(
  'pushed_policies',
  {
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    version: integer('version').notNull(),
    settings: text('settings', { mode: 'json' }).$type<Json>().notNull(),
    pin: text('pin', { mode: 'json' }).$type<PolicyPin>(),
    evidence: text('evidence', { mode: 'json' }).$type<Json>(),
    createdAtMs: integer('created_at_ms').notNull(),
    createdBy: text('created_by').notNull(),
    why: text('why').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.id] }),
    uniqueIndex('pushed_policies_by_version').on(table.tenant, table.name, table.version),
  ],
)

/** Responses to writes with an Idempotency-Key; `status` is `NULL` while the first is running. */
export const idempotencyKeys = table(
  'idempotency_keys',
  {
    tenant: text('tenant').notNull(),
    key: text('key').notNull(),
    /** Hex SHA-256 of the request. */
    requestHash: text('request_hash').notNull(),
    /** Token of the request that carries it out, or did. */
    claim: text('claim').notNull(),
    /** When it was claimed or last renewed. */
    atMs: integer('at_ms').notNull(),
    status: integer('status'),
    body: text('body'),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('idempotency_keys_by_time').on(table.atMs)],
)

/**
 * One row per event: the events of a millisecond have 2,048 places, in order of arrival. Non-finite numbers are `null`,
 * also within `signals` and `findings`. Rows are kept short, so that three fit in a page of SQLite.
 */
export const decisions = table(
  'decisions',
  {
    /** `atMs` * 2048 and up. */
    place: integer('place').primaryKey(),
    /** Id of the event. */
    id: text('id').notNull(),
    /** '' if it equals the event's id. */
    decisionId: text('decision_id').notNull(),
    atMs: integer('at_ms').notNull(),
    tenant: text('tenant').notNull(),
    collection: text('collection').notNull(),
    corpusVersion: integer('corpus_version').notNull(),
    policyId: text('policy_id').notNull(),
    mode: text('mode').$type<Mode>().notNull(),
    route: text('route').notNull(),
    verdict: text('verdict').$type<Verdict>().notNull(),
    band: text('band').$type<Band>().notNull(),
    confidence: real('confidence'),
    reason: text('reason').notNull(),
    cache: text('cache').$type<CacheState>().notNull(),
    status: integer('status').notNull(),
    rankedBy: text('ranked_by').$type<ScoreKind>().notNull(),
    /** Numbers and strings of the signals, in the order of `signalShape`; the signals themselves without one. */
    signals: text('signals', { mode: 'json' }).$type<readonly Json[] | Signals>().notNull(),
    findings: text('findings', { mode: 'json' }).$type<readonly Finding[]>().notNull(),
    evidenceIds: text('evidence_ids', { mode: 'json' }).$type<readonly string[]>().notNull(),
    documentIds: text('document_ids', { mode: 'json' }).$type<readonly string[]>().notNull(),
    retrievalMs: real('retrieval_ms'),
    generationMs: real('generation_ms'),
    totalMs: real('total_ms'),
    principalId: text('principal_id').notNull(),
    questionHmac: text('question_hmac'),
    hmacKeyId: text('hmac_key_id'),
    model: text('model'),
    inputTokens: integer('input_tokens'),
    outputTokens: integer('output_tokens'),
    isolate: text('isolate').notNull(),
    sequence: integer('sequence').notNull(),
    /** `NULL` if the policy judged no answer. */
    answerSignals: text('answer_signals', { mode: 'json' }).$type<AnswerSignals>(),
    /** Outcome of the reranker, which determines the tier that could decide. */
    reranker: text('reranker').$type<RerankerOutcome>(),
    rerankMs: real('rerank_ms'),
    /** 1 on a refusal that is marked for human review. */
    escalate: integer('escalate'),
    /** Audit events of the policy's preset; `NULL` without any. */
    audit: text('audit', { mode: 'json' }).$type<readonly AuditEvent[]>(),
    /** The saved model call; `NULL` if one was made. */
    saved: text('saved', { mode: 'json' }).$type<Saving>(),
    /** Fields that were cut because the event was too large for a queue. */
    cut: text('cut', { mode: 'json' }).$type<readonly string[]>(),
    signalShape: integer('signal_shape'),
  },
  (table) => [
    // A row written per decision, except for one tenant: most deployments have only that one.
    index('decisions_by_tenant')
      .on(table.tenant)
      .where(sql`tenant <> 'default'`),
    check('decisions_place', sql`place - at_ms * 2048 BETWEEN 0 AND 2047`),
  ],
)

/** Signals without their numbers and strings, as JSON; most decisions under a policy share one shape. */
export const signalShapes = table(
  'signal_shapes',
  {
    id: integer('id').primaryKey(),
    shape: text('shape').notNull(),
  },
  (table) => [uniqueIndex('signal_shapes_by_shape').on(table.shape)],
)

/** Counts of decisions by UTC hour and by UTC day, made by the trigger of `uncounted_decisions`. */
export const decisionRollups = table(
  'decision_rollups',
  {
    tenant: text('tenant').notNull(),
    /** 3,600,000 for an hour, 86,400,000 for a day. */
    spanMs: integer('span_ms').notNull(),
    startMs: integer('start_ms').notNull(),
    /** Part of the collections, as remainder by `PARTS`. A full row continues in the next number of that remainder. */
    part: integer('part').notNull(),
    /** Sums of the figures, by the fields in `CELL`. */
    counts: text('counts', { mode: 'json' }).$type<Readonly<Record<string, StoredCounts>>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.spanMs, table.startMs, table.part] })],
)

/** Progress of counting, one row per kind: `sums`, and `weak_spots` (questions and documents). */
export const countedDecisions = table('counted_decisions', {
  counts: text('counts').$type<'sums' | 'weak_spots'>().primaryKey(),
  /** Decisions up to here are counted, except for `lateDecisions`. */
  place: integer('place').notNull(),
  /** Total number. */
  decisions: integer('decisions').notNull(),
})

/** Decisions that arrived after others of their time were counted. */
export const lateDecisions = table(
  'late_decisions',
  {
    counts: text('counts').$type<'sums' | 'weak_spots'>().notNull(),
    place: integer('place').notNull(),
  },
  (table) => [primaryKey({ columns: [table.counts, table.place] })],
)

/** One row: what retention removed. */
export const removedDecisions = table('removed_decisions', {
  onlyRow: integer('only_row').primaryKey(),
  /** Earlier decisions are neither stored nor counted any more, Unix time in milliseconds. */
  beforeMs: integer('before_ms').notNull(),
  /** Total number. */
  decisions: integer('decisions').notNull(),
})

/** Questions that were refused or answered with a caution, by UTC day, from the trigger of `uncounted_decisions`. */
export const questionDays = table(
  'question_days',
  {
    tenant: text('tenant').notNull(),
    dayMs: integer('day_ms').notNull(),
    collection: text('collection').notNull(),
    questionHmac: text('question_hmac').notNull(),
    hmacKeyId: text('hmac_key_id').notNull(),
    refused: integer('refused').notNull(),
    advised: integer('advised').notNull(),
    lastMs: integer('last_ms').notNull(),
    lastReason: text('last_reason').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.dayMs, table.collection, table.questionHmac] }),
    // Most questions are refused once, and those are found by the key.
    index('question_days_by_refusals')
      .on(table.tenant, table.dayMs, table.refused)
      .where(sql`refused > 1`),
  ],
)

/** Decisions with a document as best evidence, by week from Monday, from the trigger of `uncounted_decisions`. */
export const documentWeeks = table(
  'document_weeks',
  {
    tenant: text('tenant').notNull(),
    weekMs: integer('week_ms').notNull(),
    collection: text('collection').notNull(),
    documentId: text('document_id').notNull(),
    decisions: integer('decisions').notNull(),
    advised: integer('advised').notNull(),
    refused: integer('refused').notNull(),
    confidenceSum: real('confidence_sum').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.weekMs, table.collection, table.documentId] })],
)

/** Numbers of events that each isolate recorded, dropped, and had rejected; gaps are lost events. */
export const isolates = table(
  'isolates',
  {
    id: text('id').primaryKey(),
    firstMs: integer('first_ms').notNull(),
    lastMs: integer('last_ms').notNull(),
    highestSequence: integer('highest_sequence').notNull(),
    recorded: integer('recorded').notNull(),
    dropped: integer('dropped').notNull(),
    rejected: integer('rejected').notNull(),
  },
  (table) => [index('isolates_by_time').on(table.lastMs)],
)

/** Events that no table accepts, one row each, even if redelivered. */
export const rejectedEvents = table(
  'rejected_events',
  {
    isolate: text('isolate').notNull(),
    sequence: integer('sequence').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.isolate, table.sequence] }),
    index('rejected_events_by_time').on(table.atMs),
  ],
)

/** Requests with a status of 400 and higher, by UTC hour and isolate. */
export const requestFaults = table(
  'request_faults',
  {
    hourMs: integer('hour_ms').notNull(),
    route: text('route').notNull(),
    status: integer('status').notNull(),
    code: text('code').notNull(),
    isolate: text('isolate').notNull(),
    requests: integer('requests').notNull(),
  },
  (table) => [primaryKey({ columns: [table.hourMs, table.route, table.status, table.code, table.isolate] })],
)

/** Texts of questions, if the deployment stores them. */
export const questionTexts = table(
  'question_texts',
  {
    tenant: text('tenant').notNull(),
    questionHmac: text('question_hmac').notNull(),
    text: text('text').notNull(),
    expiresMs: integer('expires_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.questionHmac] }),
    index('question_texts_by_expiry').on(table.expiresMs),
  ],
)

/** The audit trail: reports of gates, and changes by operators. */
export const auditEvents = table(
  'audit_events',
  {
    id: text('id').primaryKey(),
    tenant: text('tenant').notNull(),
    atMs: integer('at_ms').notNull(),
    type: text('type').notNull(),
    /** Id of the event that it came with. */
    decisionId: text('decision_id'),
    /** Id of the acting principal. */
    by: text('by'),
    payload: text('payload', { mode: 'json' }).$type<Json>().notNull(),
  },
  (table) => [
    index('audit_events_by_time').on(table.tenant, table.atMs, table.id),
    index('policy_choices')
      .on(table.tenant, table.atMs, table.id)
      .where(sql`type = 'POLICY_CHOSEN'`),
  ],
)

/** All policies of the deployment that decided or were chosen. */
export const policies = table('policies', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  body: text('body', { mode: 'json' }).$type<Json>().notNull(),
  firstMs: integer('first_ms').notNull(),
})

/** Requests to erase a principal, with their progress. */
export const erasures = table(
  'erasures',
  {
    tenant: text('tenant').notNull(),
    principalId: text('principal_id').notNull(),
    requestedMs: integer('requested_ms').notNull(),
    /** The job has scanned decisions up to this place. */
    decidedUntilPlace: integer('decided_until_place').notNull(),
    erased: integer('erased').notNull(),
    finishedMs: integer('finished_ms'),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.principalId] })],
)

/** Labels of answers and refusals. */
export const feedback = table(
  'feedback',
  {
    eventId: text('event_id').notNull(),
    source: text('source').$type<'user' | 'reviewer'>().notNull(),
    tenant: text('tenant').notNull(),
    atMs: integer('at_ms').notNull(),
    rating: text('rating').$type<'right' | 'wrong'>().notNull(),
    comment: text('comment'),
    principalId: text('principal_id').notNull(),
    /** Of the decision; `NULL` until it has arrived. */
    verdict: text('verdict').$type<Verdict>(),
    mode: text('mode').$type<Mode>(),
    policyId: text('policy_id'),
    collection: text('collection'),
    /** Time of the decision. */
    decidedMs: integer('decided_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.source] }),
    index('feedback_by_time').on(table.tenant, table.atMs, table.eventId),
  ],
)

/** Kinds of alerts; the last two are about calibrations. */
export type AlertKind =
  | 'refusals_high'
  | 'refusals_low'
  | 'insufficiency_high'
  | 'confidence_drift'
  | 'failures_high'
  | 'latency_high'
  | 'decisions_lost'
  | 'index_nearly_full'
  | 'calibration_outdated'
  | 'calibration_drift'

/** Alerts, open while `closedMs` is `NULL`. */
export const alerts = table(
  'alerts',
  {
    id: text('id').primaryKey(),
    tenant: text('tenant').notNull(),
    kind: text('kind').$type<AlertKind>().notNull(),
    openedMs: integer('opened_ms').notNull(),
    closedMs: integer('closed_ms'),
    value: real('value').notNull(),
    bound: real('bound').notNull(),
    /** Number of decisions that it was measured over. */
    decisions: integer('decisions').notNull(),
    message: text('message').notNull(),
    /** 1 until the webhook was told of the opening or closing. */
    untold: integer('untold').notNull(),
  },
  (table) => [
    uniqueIndex('alerts_open')
      .on(table.tenant, table.kind)
      .where(sql`closed_ms IS NULL`),
    index('alerts_by_time').on(table.tenant, table.openedMs),
    index('alerts_untold')
      .on(table.untold)
      .where(sql`untold = 1`),
  ],
)

/** The last run of each cron job, and where it continues. */
export const jobs = table('jobs', {
  name: text('name').primaryKey(),
  /** `NULL` during its first run. */
  ranMs: integer('ran_ms'),
  /** Start of the current series of runs that left work or failed; `NULL` if the last run finished. */
  behindSinceMs: integer('behind_since_ms'),
  /** 1 if the last run threw. */
  failed: integer('failed').notNull(),
  cursor: text('cursor', { mode: 'json' }).$type<Json>(),
})

/** Passages of an index without room for their texts. */
export const chunkTexts = table(
  'chunk_texts',
  {
    namespace: text('namespace').notNull(),
    id: text('id').notNull(),
    passage: text('passage', { mode: 'json' }).$type<Passage>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.id] })],
)

/** Passages of the word index. */
export const passages = table(
  'passages',
  {
    number: integer('number').primaryKey(),
    namespace: text('namespace').notNull(),
    id: text('id').notNull(),
    /** Number of terms, with repeats. */
    words: integer('words').notNull(),
    passage: text('passage', { mode: 'json' }).$type<Passage>().notNull(),
  },
  (table) => [uniqueIndex('passages_by_id').on(table.namespace, table.id)],
)

/** Namespaces, with the statistics for BM25. `number` is the prefix of each of their terms in the index. */
export const passageNamespaces = table(
  'passage_namespaces',
  {
    number: integer('number').primaryKey(),
    namespace: text('namespace').notNull(),
    passages: integer('passages').notNull(),
    words: integer('words').notNull(),
  },
  (table) => [uniqueIndex('passage_namespaces_by_name').on(table.namespace)],
)

/** Documents that each principal ingested on the last day with any. */
export const ingestionBudgets = table(
  'ingestion_budgets',
  {
    tenant: text('tenant').notNull(),
    principal: text('principal').notNull(),
    /** Start of the day, UTC. */
    dayMs: integer('day_ms').notNull(),
    documents: integer('documents').notNull(),
    /** Work of reading them. */
    steps: integer('steps').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.principal] })],
)
