/**
 * The tables of `migrations/`, as the queries see them. The migrations are the truth; a test compares the two column by
 * column. Times are milliseconds since 1970.
 */
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AnswerSignals } from '../src/core/answer/answer-signals.ts'
import type { Passage, ScoreKind } from '../src/core/evidence/chunk.ts'
import type { Band, CacheState } from '../src/core/policy/decision.ts'
import type { Finding, Verdict } from '../src/core/gates/finding.ts'
import type { Signals } from '../src/core/signals/measure.ts'
import type { RerankerOutcome } from '../src/core/evidence/rerank.ts'
import type { Scope } from '../src/ports/authenticator.ts'

/** What is searched, and at which version it stands. */
export const collections = sqliteTable(
  'collections',
  {
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    corpusVersion: integer('corpus_version').notNull(),
    lexiconId: text('lexicon_id'),
    embeddingModel: text('embedding_model').notNull(),
    dimension: integer('dimension').notNull(),
    policyId: text('policy_id'),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** Who may change the collection, until `writerUntilMs`. */
    writer: text('writer'),
    writerUntilMs: integer('writer_until_ms'),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.id] })],
)

/** Chunks that may stand in the index though no published document has them. */
export const unpublishedChunks = sqliteTable(
  'unpublished_chunks',
  {
    tenant: text('tenant').notNull(),
    collection: text('collection').notNull(),
    chunkId: text('chunk_id').notNull(),
    sinceMs: integer('since_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.collection, table.chunkId] })],
)

/** Collection lexicons in parts. `supersededAtMs` stands on part 0 alone. */
export const lexicons = sqliteTable(
  'lexicons',
  {
    id: text('id').notNull(),
    part: integer('part').notNull(),
    body: text('body').notNull(),
    supersededAtMs: integer('superseded_at_ms'),
  },
  (table) => [primaryKey({ columns: [table.id, table.part] })],
)

/** The documents of each collection, with the chunks they were cut into. */
export const documents = sqliteTable(
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

/** Keys of tenants. */
export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text('id').notNull().primaryKey(),
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

/** What is set for a whole tenant. */
export const tenants = sqliteTable('tenants', {
  id: text('id').notNull().primaryKey(),
  policyId: text('policy_id'),
})

/** Policies that were pushed; never changed. */
export const pushedPolicies = sqliteTable(
  'pushed_policies',
  {
    tenant: text('tenant').notNull(),
    id: text('id').notNull(),
    name: text('name').notNull(),
    version: integer('version').notNull(),
    settings: text('settings').notNull(),
    pin: text('pin'),
    evidence: text('evidence'),
    createdAtMs: integer('created_at_ms').notNull(),
    createdBy: text('created_by').notNull(),
    why: text('why').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenant, table.id] }),
    uniqueIndex('pushed_policies_by_version').on(table.tenant, table.name, table.version),
  ],
)

/** Who chose which policy, when and why. `collection` is empty for the whole tenant. */
export const policyChoices = sqliteTable(
  'policy_choices',
  {
    tenant: text('tenant').notNull(),
    collection: text('collection').notNull(),
    sequence: integer('sequence').notNull(),
    policyId: text('policy_id'),
    atMs: integer('at_ms').notNull(),
    chosenBy: text('chosen_by').notNull(),
    why: text('why').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.collection, table.sequence] })],
)

/** Answers to writes that came with an Idempotency-Key; `status` is `NULL` while the first of them runs. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    tenant: text('tenant').notNull(),
    key: text('key').notNull(),
    /** Hex SHA-256 of what was asked. */
    requestHash: text('request_hash').notNull(),
    /** Token of whoever carries it out, or did. */
    claim: text('claim').notNull(),
    /** When it was claimed or last renewed. */
    atMs: integer('at_ms').notNull(),
    status: integer('status'),
    body: text('body'),
  },
  (table) => [primaryKey({ columns: [table.tenant, table.key] }), index('idempotency_keys_by_time').on(table.atMs)],
)

/** One row an event. A measured number that was not finite is `null`, within `signals` and `findings` too. */
export const decisions = sqliteTable(
  'decisions',
  {
    /** Id of the event. */
    id: text('id').notNull().primaryKey(),
    decisionId: text('decision_id').notNull(),
    atMs: integer('at_ms').notNull(),
    /** Beginning of its UTC hour. */
    hour: integer('hour').notNull(),
    tenant: text('tenant').notNull(),
    collection: text('collection').notNull(),
    corpusVersion: integer('corpus_version').notNull(),
    policyId: text('policy_id').notNull(),
    mode: text('mode').$type<'enforce' | 'observe'>().notNull(),
    route: text('route').notNull(),
    verdict: text('verdict').$type<Verdict>().notNull(),
    band: text('band').$type<Band>().notNull(),
    confidence: real('confidence'),
    reason: text('reason').notNull(),
    cache: text('cache').$type<CacheState>().notNull(),
    status: integer('status').notNull(),
    rankedBy: text('ranked_by').$type<ScoreKind>().notNull(),
    signals: text('signals', { mode: 'json' }).$type<Signals>().notNull(),
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
    /** `NULL` where the policy judged no answer. */
    answerSignals: text('answer_signals', { mode: 'json' }).$type<AnswerSignals>(),
    /** Which tier could decide. */
    reranker: text('reranker').$type<RerankerOutcome>(),
    rerankMs: real('rerank_ms'),
  },
  (table) => [
    index('decisions_by_hour').on(table.hour),
    index('decisions_by_decision').on(table.decisionId),
    index('decisions_by_sequence').on(table.isolate, table.sequence),
  ],
)

/** Decisions counted by hour, kept by a trigger on `decisions`. */
export const decisionRollups = sqliteTable(
  'decision_rollups',
  {
    tenant: text('tenant').notNull(),
    /** Beginning of the UTC hour. */
    hour: integer('hour').notNull(),
    collection: text('collection').notNull(),
    policyId: text('policy_id').notNull(),
    verdict: text('verdict').$type<Verdict>().notNull(),
    band: text('band').$type<Band>().notNull(),
    cache: text('cache').$type<CacheState>().notNull(),
    reason: text('reason').notNull(),
    mode: text('mode').$type<'enforce' | 'observe'>().notNull(),
    events: integer('events').notNull(),
    /** Events whose confidence is a number; `confidenceSum` adds up those. */
    confidenceCount: integer('confidence_count').notNull(),
    confidenceSum: real('confidence_sum').notNull(),
    /** Events whose total time is known; `totalMsSum` adds up those. */
    totalMsCount: integer('total_ms_count').notNull(),
    totalMsSum: real('total_ms_sum').notNull(),
    /** Events that name a model. */
    modelCalls: integer('model_calls').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [
        table.tenant,
        table.hour,
        table.collection,
        table.policyId,
        table.verdict,
        table.band,
        table.cache,
        table.reason,
        table.mode,
      ],
    }),
  ],
)

/** Passages of an index that has no room for their texts. */
export const chunkTexts = sqliteTable(
  'chunk_texts',
  {
    namespace: text('namespace').notNull(),
    id: text('id').notNull(),
    passage: text('passage', { mode: 'json' }).$type<Passage>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.namespace, table.id] })],
)
