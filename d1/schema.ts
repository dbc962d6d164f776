/**
 * The tables, with keys and indexes. `npm run migrations` writes what a change of them takes to `migrations`; a test
 * compares them with the migrated database. Triggers, views and full-text tables stand in `raw`. Times are milliseconds
 * since 1970.
 */
import { getTableColumns, sql } from 'drizzle-orm'
import { check, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
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

/** A table whose columns are called as its members are, in the way of SQL: `updatedAtMs` is `updated_at_ms`. */
const namedTable = ((...parts: Parameters<typeof sqliteTable>) => {
  const table = sqliteTable(...parts)
  for (const column of Object.values(getTableColumns(table))) {
    Object.assign(column, { name: column.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) })
  }
  return table
  // It takes and makes what drizzle's own does.
}) as typeof sqliteTable

/** What is searched, and at which version it stands. */
export const collections = namedTable(
  'collections',
  {
    tenant: text().notNull(),
    id: text().notNull(),
    corpusVersion: integer().notNull(),
    lexiconId: text(),
    embeddingModel: text().notNull(),
    dimension: integer().notNull(),
    policyId: text(),
    /** What it learned from its own documents. */
    scale: text({ mode: 'json' }).$type<CollectionScale>(),
    updatedAtMs: integer().notNull(),
    /** Who may change the collection, until `writerUntilMs`. */
    writer: text(),
    writerUntilMs: integer(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] })],
)

/** Chunks that may stand in the index though no published document has them. */
export const unpublishedChunks = namedTable(
  'unpublished_chunks',
  {
    tenant: text().notNull(),
    collection: text().notNull(),
    chunkId: text().notNull(),
    sinceMs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.collection, table.chunkId] })],
)

/** Collection lexicons in parts. `supersededAtMs` stands on part 0 alone. */
export const lexicons = namedTable(
  'lexicons',
  {
    id: text().notNull(),
    part: integer().notNull(),
    body: text().notNull(),
    supersededAtMs: integer(),
  },
  (table) => [primaryKey({ columns: [table.id, table.part] })],
)

/** The documents of each collection, with the chunks they were cut into. */
export const documents = namedTable(
  'documents',
  {
    tenant: text().notNull(),
    collection: text().notNull(),
    id: text().notNull(),
    contentHash: text().notNull(),
    chunkIds: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    embeddingModel: text().notNull(),
    dimension: integer().notNull(),
    updatedAtMs: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.collection, table.id] })],
)

/** Keys of tenants. */
export const apiKeys = namedTable(
  'api_keys',
  {
    id: text().primaryKey(),
    tenant: text().notNull(),
    name: text().notNull(),
    scopes: text({ mode: 'json' }).$type<readonly Scope[]>().notNull(),
    /** Hex SHA-256 of the secret. */
    secretHash: text().notNull(),
    createdAtMs: integer().notNull(),
    expiresAtMs: integer(),
    revokedAtMs: integer(),
  },
  (table) => [index('api_keys_by_tenant').on(table.tenant, table.createdAtMs, table.id)],
)

/** What is set for a whole tenant. */
export const tenants = namedTable('tenants', {
  id: text().primaryKey(),
  policyId: text(),
})

/** What was purged of the cached answers; `tenant` is '' for those of all tenants. */
export const answerPurges = namedTable(
  'answer_purges',
  {
    tenant: text().notNull(),
    /** Canonical text of a `PurgeScope`. */
    scope: text().notNull(),
    /** Rises with every purge. */
    epoch: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.scope] }),
    index('answer_purges_by_epoch').on(table.tenant, table.epoch),
  ],
)

/** Policies that were pushed; never changed. */
export const pushedPolicies = namedTable(
  'pushed_policies',
  {
    tenant: text().notNull(),
    id: text().notNull(),
    name: text().notNull(),
    version: integer().notNull(),
    settings: text({ mode: 'json' }).$type<Json>().notNull(),
    pin: text({ mode: 'json' }).$type<PolicyPin>(),
    evidence: text({ mode: 'json' }).$type<Json>(),
    createdAtMs: integer().notNull(),
    createdBy: text().notNull(),
    why: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.id] }),
    uniqueIndex('pushed_policies_by_version').on(table.tenant, table.name, table.version),
  ],
)

/** Answers to writes that came with an Idempotency-Key; `status` is `NULL` while the first of them runs. */
export const idempotencyKeys = namedTable(
  'idempotency_keys',
  {
    tenant: text().notNull(),
    key: text().notNull(),
    /** Hex SHA-256 of what was asked. */
    requestHash: text().notNull(),
    /** Token of the caller that carries it out, or did. */
    claim: text().notNull(),
    /** When it was claimed or last renewed. */
    atMs: integer().notNull(),
    status: integer(),
    body: text(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('idempotency_keys_by_time').on(table.atMs)],
)

/**
 * One row an event: those of a millisecond have 2,048 places, in the order of their arrival. A measured number that was not
 * finite is `null`, within `signals` and `findings` too. Rows are kept short, so that three fit a page of SQLite.
 */
export const decisions = namedTable(
  'decisions',
  {
    /** `atMs` * 2048 and up. */
    place: integer().primaryKey(),
    /** Id of the event. */
    id: text().notNull(),
    /** '' where the event is the decision's own. */
    decisionId: text().notNull(),
    atMs: integer().notNull(),
    tenant: text().notNull(),
    collection: text().notNull(),
    corpusVersion: integer().notNull(),
    policyId: text().notNull(),
    mode: text().$type<Mode>().notNull(),
    route: text().notNull(),
    verdict: text().$type<Verdict>().notNull(),
    band: text().$type<Band>().notNull(),
    confidence: real(),
    reason: text().notNull(),
    cache: text().$type<CacheState>().notNull(),
    status: integer().notNull(),
    rankedBy: text().$type<ScoreKind>().notNull(),
    /** Numbers and texts of the signals, in the order of `signalShape`; the signals themselves where there is none. */
    signals: text({ mode: 'json' }).$type<readonly Json[] | Signals>().notNull(),
    findings: text({ mode: 'json' }).$type<readonly Finding[]>().notNull(),
    evidenceIds: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    documentIds: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
    retrievalMs: real(),
    generationMs: real(),
    totalMs: real(),
    principalId: text().notNull(),
    questionHmac: text(),
    hmacKeyId: text(),
    model: text(),
    inputTokens: integer(),
    outputTokens: integer(),
    isolate: text().notNull(),
    sequence: integer().notNull(),
    /** `NULL` where the policy judged no answer. */
    answerSignals: text({ mode: 'json' }).$type<AnswerSignals>(),
    /** Which tier could decide. */
    reranker: text().$type<RerankerOutcome>(),
    rerankMs: real(),
    /** 1 on a refusal that asks for a person. */
    escalate: integer(),
    /** What the policy's preset reports with a decision; `NULL` where it reports nothing. */
    audit: text({ mode: 'json' }).$type<readonly AuditEvent[]>(),
    /** The model call that was not made; `NULL` where one was. */
    saved: text({ mode: 'json' }).$type<Saving>(),
    /** Fields that were left out because the event was too large for a queue. */
    cut: text({ mode: 'json' }).$type<readonly string[]>(),
    signalShape: integer(),
  },
  (table) => [
    // A row written for each decision of all tenants but one: most deployments have no other.
    index('decisions_by_tenant')
      .on(table.tenant)
      .where(sql`tenant <> 'default'`),
    check('decisions_place', sql`place - at_ms * 2048 BETWEEN 0 AND 2047`),
  ],
)

/** Signals without their numbers and texts, as JSON: those of most decisions under a policy have the same. */
export const signalShapes = namedTable(
  'signal_shapes',
  {
    id: integer().primaryKey(),
    shape: text().notNull(),
  },
  (table) => [uniqueIndex('signal_shapes_by_shape').on(table.shape)],
)

/** Decisions counted by UTC hour and by UTC day, counted by the trigger of `uncounted_decisions`. */
export const decisionRollups = namedTable(
  'decision_rollups',
  {
    tenant: text().notNull(),
    /** 3,600,000 for an hour, 86,400,000 for a day. */
    spanMs: integer().notNull(),
    startMs: integer().notNull(),
    /** Which half of the collections: its remainder by `PARTS`. A row that is full goes on in the next of the half. */
    part: integer().notNull(),
    /** Sums of the figures, by what the decisions have in common, as `CELL` says. */
    counts: text({ mode: 'json' }).$type<Readonly<Record<string, StoredCounts>>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.spanMs, table.startMs, table.part] })],
)

/** What is counted of decisions at a time, a row each: `sums`, and `weak_spots` (questions and documents). */
export const countedDecisions = namedTable('counted_decisions', {
  counts: text().$type<'sums' | 'weak_spots'>().primaryKey(),
  /** Up to here decisions are counted, but for `lateDecisions`. */
  place: integer().notNull(),
  /** How many, ever. */
  decisions: integer().notNull(),
})

/** Decisions that arrived once others of their time were counted. */
export const lateDecisions = namedTable(
  'late_decisions',
  {
    counts: text().$type<'sums' | 'weak_spots'>().notNull(),
    place: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.counts, table.place] })],
)

/** One row: what retention removed. */
export const removedDecisions = namedTable('removed_decisions', {
  onlyRow: integer().primaryKey(),
  /** Decisions of before are neither stored nor counted any more, milliseconds since 1970. */
  beforeMs: integer().notNull(),
  /** How many, ever. */
  decisions: integer().notNull(),
})

/** Questions that were refused or answered with a caution, by UTC day, counted by the trigger of `uncounted_decisions`. */
export const questionDays = namedTable(
  'question_days',
  {
    tenant: text().notNull(),
    dayMs: integer().notNull(),
    collection: text().notNull(),
    questionHmac: text().notNull(),
    hmacKeyId: text().notNull(),
    refused: integer().notNull(),
    advised: integer().notNull(),
    lastMs: integer().notNull(),
    lastReason: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.dayMs, table.collection, table.questionHmac] }),
    // Most questions are refused once: those are found by the key.
    index('question_days_by_refusals')
      .on(table.tenant, table.dayMs, table.refused)
      .where(sql`refused > 1`),
  ],
)

/** Decisions that a document led, by week from Monday on, counted by the trigger of `uncounted_decisions`. */
export const documentWeeks = namedTable(
  'document_weeks',
  {
    tenant: text().notNull(),
    weekMs: integer().notNull(),
    collection: text().notNull(),
    documentId: text().notNull(),
    decisions: integer().notNull(),
    advised: integer().notNull(),
    refused: integer().notNull(),
    confidenceSum: real().notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.weekMs, table.collection, table.documentId] })],
)

/** What each isolate recorded, dropped, and had rejected; what is missing in its numbers was lost. */
export const isolates = namedTable(
  'isolates',
  {
    id: text().primaryKey(),
    firstMs: integer().notNull(),
    lastMs: integer().notNull(),
    highestSequence: integer().notNull(),
    recorded: integer().notNull(),
    dropped: integer().notNull(),
    rejected: integer().notNull(),
  },
  (table) => [index('isolates_by_time').on(table.lastMs)],
)

/** Events that no table takes, one row each however often they are delivered. */
export const rejectedEvents = namedTable(
  'rejected_events',
  {
    isolate: text().notNull(),
    sequence: integer().notNull(),
    atMs: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.isolate, table.sequence] }),
    index('rejected_events_by_time').on(table.atMs),
  ],
)

/** Requests that ended with a status of 400 and up, by UTC hour and isolate. */
export const requestFaults = namedTable(
  'request_faults',
  {
    hourMs: integer().notNull(),
    route: text().notNull(),
    status: integer().notNull(),
    code: text().notNull(),
    isolate: text().notNull(),
    requests: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hourMs, table.route, table.status, table.code, table.isolate] })],
)

/** Texts of questions, where the deployment chose to keep them. */
export const questionTexts = namedTable(
  'question_texts',
  {
    tenant: text().notNull(),
    questionHmac: text().notNull(),
    text: text().notNull(),
    expiresMs: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.questionHmac] }),
    index('question_texts_by_expiry').on(table.expiresMs),
  ],
)

/** The audit trail: what gates reported with their decisions, and what operators changed. */
export const auditEvents = namedTable(
  'audit_events',
  {
    id: text().primaryKey(),
    tenant: text().notNull(),
    atMs: integer().notNull(),
    type: text().notNull(),
    /** Id of the event that it came with. */
    decisionId: text(),
    /** Id of the principal who did it. */
    by: text(),
    payload: text({ mode: 'json' }).$type<Json>().notNull(),
  },
  (table) => [
    index('audit_events_by_time').on(table.tenant, table.atMs, table.id),
    index('policy_choices')
      .on(table.tenant, table.atMs, table.id)
      .where(sql`type = 'POLICY_CHOSEN'`),
  ],
)

/** Every policy of the deployment that decided or was chosen. */
export const policies = namedTable('policies', {
  id: text().primaryKey(),
  name: text().notNull(),
  body: text({ mode: 'json' }).$type<Json>().notNull(),
  firstMs: integer().notNull(),
})

/** Requests to erase a principal, and how far they are carried out. */
export const erasures = namedTable(
  'erasures',
  {
    tenant: text().notNull(),
    principalId: text().notNull(),
    requestedMs: integer().notNull(),
    /** The job has gone through decisions up to this place. */
    decidedUntilPlace: integer().notNull(),
    erased: integer().notNull(),
    finishedMs: integer(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.principalId] })],
)

/** What people say of an answer or a refusal. */
export const feedback = namedTable(
  'feedback',
  {
    eventId: text().notNull(),
    source: text().$type<'user' | 'reviewer'>().notNull(),
    tenant: text().notNull(),
    atMs: integer().notNull(),
    rating: text().$type<'right' | 'wrong'>().notNull(),
    comment: text(),
    principalId: text().notNull(),
    /** Of the decision; `NULL` until it arrived. */
    verdict: text().$type<Verdict>(),
    policyId: text(),
    collection: text(),
    /** When the decision was. */
    decidedMs: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.eventId, table.source] }),
    index('feedback_by_time').on(table.tenant, table.atMs, table.eventId),
  ],
)

/** What there are alerts of; the last two of calibrations. */
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
export const alerts = namedTable(
  'alerts',
  {
    id: text().primaryKey(),
    tenant: text().notNull(),
    kind: text().$type<AlertKind>().notNull(),
    openedMs: integer().notNull(),
    closedMs: integer(),
    value: real().notNull(),
    bound: real().notNull(),
    /** Decisions that it was measured over. */
    decisions: integer().notNull(),
    message: text().notNull(),
    /** 1 until the webhook was told of the opening, or of the closing. */
    untold: integer().notNull(),
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

/** When each job of the cron trigger was last run, and where it goes on. */
export const jobs = namedTable('jobs', {
  name: text().primaryKey(),
  /** `NULL` while its first run is under way. */
  ranMs: integer(),
  /** First run of those, up to the last, that left work over or failed; `NULL` where the last left none. */
  behindSinceMs: integer(),
  /** 1 where the last run threw. */
  failed: integer().notNull(),
  cursor: text({ mode: 'json' }).$type<Json>(),
})

/** Passages of an index that has no room for their texts. */
export const chunkTexts = namedTable(
  'chunk_texts',
  {
    namespace: text().notNull(),
    id: text().notNull(),
    passage: text({ mode: 'json' }).$type<Passage>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.id] })],
)

/** Passages that are found by their words. */
export const passages = namedTable(
  'passages',
  {
    number: integer().primaryKey(),
    namespace: text().notNull(),
    id: text().notNull(),
    /** Terms of the passage, repeats counted. */
    words: integer().notNull(),
    passage: text({ mode: 'json' }).$type<Passage>().notNull(),
  },
  (table) => [uniqueIndex('passages_by_id').on(table.namespace, table.id)],
)

/** Namespaces, with what BM25 needs to know of all their passages. `number` begins each of their terms in the index. */
export const passageNamespaces = namedTable(
  'passage_namespaces',
  {
    number: integer().primaryKey(),
    namespace: text().notNull(),
    passages: integer().notNull(),
    words: integer().notNull(),
  },
  (table) => [uniqueIndex('passage_namespaces_by_name').on(table.namespace)],
)

/** What each principal ingested on the last day on which it did. */
export const ingestionBudgets = namedTable(
  'ingestion_budgets',
  {
    tenant: text().notNull(),
    principal: text().notNull(),
    /** Beginning of the day, UTC. */
    dayMs: integer().notNull(),
    documents: integer().notNull(),
    /** Of the work that reading them took. */
    steps: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.principal] })],
)
