import { callable, group, methods, number, required, requireOptions } from '../../core/lib/options.ts'
import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import type { Json } from '../../core/lib/json.ts'
import type { DecisionStore, DroppedEvents, NumberedEvent } from '../../ports/decision-log.ts'
import { jsonBatches } from './json-batches.ts'
import { takeApart } from './signal-shape.ts'

export interface D1DecisionStoreOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * Called for every event that can never be stored (a required field is missing, a text is too long). The event is
   * dropped and counted, so that it does not block the others. It must not throw.
   */
  readonly onRejected?: (cause: unknown, rejected: NumberedEvent) => void
  /**
   * Stores the texts of questions that events contain, for so many days. 1..365. Without it no text is stored, even if an
   * event contains one.
   */
  readonly storeQuestions?: { readonly retentionDays: number }
  /**
   * The policy with an id, which is stored beside the decisions as JSON; called once per id and store. `undefined` if the id
   * is unknown.
   */
  readonly policyOf?: (id: string) => PolicyRecord | undefined
}

/** A policy as stored for the statistics. */
export interface PolicyRecord {
  readonly id: string
  readonly name: string
}

const MS_PER_DAY = 86_400_000
/** As in `d1/schema.ts`: the places of a millisecond's decisions begin at 2,048 times that millisecond. */
const PLACES_OF_A_MS = 2048
/** Most characters of a name from outside, such as a model's, so that it cannot fill the database. */
const MAX_NAME_CHARACTERS = 200
/** Largest plausible number of tokens. */
const MOST_TOKENS = 1e12

/** Value of each column of `decisions`. Objects and arrays are stored as JSON. */
const COLUMNS: readonly (readonly [column: string, read: (numbered: NumberedEvent) => unknown])[] = [
  ['id', ({ event }) => event.id],
  // Empty if it equals the event's id, as it usually does.
  ['decision_id', ({ event }) => (event.decision.id === event.id ? '' : event.decision.id)],
  ['at_ms', ({ event }) => Math.trunc(event.atMs)],
  ['tenant', ({ event }) => event.decision.tenant],
  ['collection', ({ event }) => event.decision.collection],
  ['corpus_version', ({ event }) => event.decision.corpusVersion],
  ['policy_id', ({ event }) => event.decision.policyId],
  ['mode', ({ event }) => event.mode],
  ['route', ({ event }) => event.route],
  ['verdict', ({ event }) => event.decision.verdict],
  ['band', ({ event }) => event.decision.band],
  ['confidence', ({ event }) => event.decision.confidence],
  ['reason', ({ event }) => event.decision.reason],
  ['cache', ({ event }) => event.cache],
  ['status', ({ event }) => event.status],
  ['ranked_by', ({ event }) => event.decision.rankedBy],
  ['findings', ({ event }) => event.decision.findings],
  ['evidence_ids', ({ event }) => event.decision.evidenceIds],
  ['document_ids', ({ event }) => event.decision.documentIds],
  ['retrieval_ms', ({ event }) => event.timings.retrievalMs],
  ['generation_ms', ({ event }) => event.timings.generationMs],
  ['total_ms', ({ event }) => event.timings.totalMs],
  ['principal_id', ({ event }) => event.principalId],
  ['question_hmac', ({ event }) => event.question?.hmac],
  ['hmac_key_id', ({ event }) => event.question?.keyId],
  ['model', ({ event }) => nameOf(event.model)],
  ['input_tokens', ({ event }) => whole(event.usage?.inputTokens)],
  ['output_tokens', ({ event }) => whole(event.usage?.outputTokens)],
  ['isolate', ({ isolate }) => isolate],
  ['sequence', ({ sequence }) => sequence],
  ['answer_signals', ({ event }) => event.decision.answerSignals],
  ['reranker', ({ event }) => event.decision.reranker],
  ['rerank_ms', ({ event }) => event.timings.rerankMs],
  ['escalate', ({ event }) => (event.decision.escalate === true ? 1 : null)],
  ['audit', ({ event }) => (event.audit === undefined || event.audit.length === 0 ? null : event.audit)],
  ['cut', ({ event }) => event.cut],
  ['saved', ({ event }) => event.saved],
]

/** The trigger of `decision_batches` stores the events, except those already stored. */
const INSERT = `INSERT INTO decision_batches (events) VALUES (?1)`

/** Stores texts only for decisions with the digest of their question, which those of an erased principal lack. */
const INSERT_TEXTS = `INSERT INTO question_texts (tenant, question_hmac, text, expires_ms)
  SELECT decisions.tenant, question_hmac, json_extract(value, '$[1]'), json_extract(value, '$[2]')
  FROM json_each(?1) CROSS JOIN decisions ON place >= json_extract(value, '$[4]') * ${PLACES_OF_A_MS}
    AND place < (json_extract(value, '$[4]') + 1) * ${PLACES_OF_A_MS} AND decisions.id = json_extract(value, '$[0]') AND decisions.tenant = json_extract(value, '$[3]')
  WHERE question_hmac IS NOT NULL
  ON CONFLICT (tenant, question_hmac) DO UPDATE SET expires_ms = max(expires_ms, excluded.expires_ms)`

const INSERT_POLICY = `INSERT INTO policies (id, name, body, first_ms) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (id) DO UPDATE SET first_ms = min(first_ms, excluded.first_ms)`

/** Counts since the isolate's start: reporting a count twice, or an older one late, changes nothing. */
const NOTE_DROPPED = `INSERT INTO isolates (id, first_ms, last_ms, highest_sequence, recorded, dropped, rejected)
  VALUES (?1, ?3, ?3, 0, 0, ?2, 0)
  ON CONFLICT (id) DO UPDATE SET dropped = max(dropped, excluded.dropped), last_ms = max(last_ms, excluded.last_ms)`

const NOTE_REJECTED = `INSERT INTO rejected_events (isolate, sequence, at_ms) VALUES (?1, ?2, ?3)
  ON CONFLICT (isolate, sequence) DO NOTHING`

/**
 * Stores decisions in D1: one statement per batch of events of any size. An event written twice is stored and counted
 * once, even after its row was deleted. A measured number that is not finite is stored as `null`.
 *
 * @returns a store whose `write` rejects with D1's own error if the database fails; nothing of the batch is stored then,
 *   unless it had to be divided because of a rejected event
 * @example
 * const log = createBufferedDecisionLog({ store: createD1DecisionStore({ db: env.DB }) })
 */
export function createD1DecisionStore(options: D1DecisionStoreOptions): DecisionStore {
  requireOptions(options, {
    db: required(methods('prepare')),
    onRejected: callable,
    storeQuestions: group<NonNullable<D1DecisionStoreOptions['storeQuestions']>>({
      retentionDays: required(number(1, 365)),
    }),
    policyOf: callable,
  })
  const { db, onRejected, storeQuestions, policyOf } = options
  const retentionDays = storeQuestions?.retentionDays
  const keptPolicies = new Set<string>()

  async function reject(numbered: NumberedEvent, cause: unknown): Promise<void> {
    onRejected?.(cause, numbered)
    const { isolate, sequence, event } = numbered
    // Counting rejected events must not block the others: if it fails, the gap in the sequence numbers remains.
    await db
      .prepare(NOTE_REJECTED)
      .bind(isolate, sequence, Math.trunc(event.atMs))
      .run()
      .catch(() => undefined)
  }

  /** @throws for an event with a value that JSON cannot represent, such as a `bigint` */
  function insertsOf(events: readonly NumberedEvent[]): D1PreparedStatement[] {
    const insert = db.prepare(INSERT)
    const batches = jsonBatches(
      events.map((numbered) => {
        const { shape, values } = takeApart(numbered.event.decision.signals)
        const columns = COLUMNS.map(([column, read]) => [column, read(numbered)])
        return { ...Object.fromEntries(columns), signals: values, signal_shape: shape }
      }),
    )
    const statements = batches.map((batch) => insert.bind(batch))
    if (retentionDays !== undefined) {
      const texts = db.prepare(INSERT_TEXTS)
      for (const batch of jsonBatches(textsOf(events, retentionDays))) statements.push(texts.bind(batch))
    }
    return statements
  }

  function policiesOf(events: readonly NumberedEvent[]): {
    readonly statements: readonly D1PreparedStatement[]
    readonly policyIds: readonly string[]
  } {
    const statements: D1PreparedStatement[] = []
    const policyIds = new Set(events.map(({ event }) => event.decision.policyId))
    for (const id of policyIds) {
      const policy = keptPolicies.has(id) ? undefined : policyOf?.(id)
      if (policy === undefined) continue
      const firstMs = Math.min(...events.map(({ event }) => event.atMs))
      statements.push(
        db.prepare(INSERT_POLICY).bind(policy.id, policy.name, JSON.stringify(policy), Math.trunc(firstMs)),
      )
    }
    return { statements, policyIds: [...policyIds] }
  }

  async function write(events: readonly NumberedEvent[]): Promise<void> {
    let inserts: readonly D1PreparedStatement[]
    try {
      inserts = insertsOf(events)
    } catch (thrown) {
      return divide(events, thrown)
    }
    if (inserts.length === 0) return
    const { statements, policyIds } = policiesOf(events)
    try {
      await db.batch([...inserts, ...statements])
      for (const id of policyIds) keptPolicies.add(id)
    } catch (thrown) {
      if (!isRejection(thrown)) throw thrown
      return divide(events, thrown)
    }
  }

  /** Finds the event that caused the failure by halving, with few statements. */
  async function divide(events: readonly NumberedEvent[], thrown: unknown): Promise<void> {
    if (events.length === 1) return reject(events[0]!, thrown)
    const middle = Math.ceil(events.length / 2)
    await write(events.slice(0, middle))
    await write(events.slice(middle))
  }

  return {
    write,
    async noteDropped({ isolate, dropped, atMs }: DroppedEvents) {
      await db.prepare(NOTE_DROPPED).bind(isolate, dropped, Math.trunc(atMs)).run()
    },
  }
}

/** Texts of questions to store: id of the event, text, time of expiry, and the event's tenant and time. */
function textsOf(events: readonly NumberedEvent[], retentionDays: number): Json[] {
  return events.flatMap(({ event: { id, question, atMs, decision } }) => {
    const ms = Math.trunc(atMs)
    return question?.text === undefined
      ? []
      : [[id, question.text, ms + retentionDays * MS_PER_DAY, decision.tenant, ms]]
  })
}

/** Whether D1 rejected the values, as opposed to failing to write. */
function isRejection(thrown: unknown): boolean {
  return thrown instanceof Error && /SQLITE_CONSTRAINT|constraint failed|SQLITE_TOOBIG|too big/.test(thrown.message)
}

/** Handlers may report anything; only a string is a name. */
function nameOf(model: unknown): string | null {
  return typeof model === 'string' ? model.slice(0, MAX_NAME_CHARACTERS) : null
}

/** A count for an INTEGER column. */
function whole(count: number | undefined): Json {
  return count !== undefined && Number.isFinite(count) ? Math.round(Math.max(0, Math.min(MOST_TOKENS, count))) : null
}
