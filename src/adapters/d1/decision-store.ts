import type { D1Database } from '@cloudflare/workers-types'
import type { Json } from '../../core/lib/json.ts'
import type { DecisionStore, NumberedEvent } from '../../ports/decision-log.ts'
import { jsonBatches } from './json-batches.ts'

export interface D1DecisionStoreOptions {
  /** Database with the migrations of `d1/` applied. */
  readonly db: D1Database
  /**
   * Called for every event that the tables will never take (a required field is missing, a text is too long). It is
   * dropped, so that it does not hold up all others. It must not throw.
   */
  readonly onRejected?: (cause: unknown) => void
}

const MS_PER_HOUR = 3_600_000

/** What each column of `decisions` is written from. Objects and arrays are stored as JSON. */
const COLUMNS: readonly (readonly [column: string, read: (numbered: NumberedEvent) => unknown])[] = [
  ['id', ({ event }) => event.id],
  ['decision_id', ({ event }) => event.decision.id],
  ['at_ms', ({ event }) => Math.trunc(event.atMs)],
  ['hour', ({ event }) => Math.floor(event.atMs / MS_PER_HOUR) * MS_PER_HOUR],
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
  ['signals', ({ event }) => event.decision.signals],
  ['findings', ({ event }) => event.decision.findings],
  ['evidence_ids', ({ event }) => event.decision.evidenceIds],
  ['document_ids', ({ event }) => event.decision.documentIds],
  ['retrieval_ms', ({ event }) => event.timings.retrievalMs],
  ['generation_ms', ({ event }) => event.timings.generationMs],
  ['total_ms', ({ event }) => event.timings.totalMs],
  ['principal_id', ({ event }) => event.principalId],
  ['question_hmac', ({ event }) => event.question?.hmac],
  ['hmac_key_id', ({ event }) => event.question?.keyId],
  ['model', ({ event }) => event.model],
  ['input_tokens', ({ event }) => whole(event.usage?.inputTokens)],
  ['output_tokens', ({ event }) => whole(event.usage?.outputTokens)],
  ['isolate', ({ isolate }) => isolate],
  ['sequence', ({ sequence }) => sequence],
  ['answer_signals', ({ event }) => event.decision.answerSignals],
  ['reranker', ({ event }) => event.decision.reranker],
  ['rerank_ms', ({ event }) => event.timings.rerankMs],
]

/**
 * `ON CONFLICT DO NOTHING` rather than `INSERT OR IGNORE`: the latter would also pass over a row that breaks another
 * rule, and lose it without a word. `WHERE true` tells the parser that `ON` does not begin a join.
 */
const INSERT = `INSERT INTO decisions (${COLUMNS.map(([column]) => column).join(', ')})
  SELECT ${COLUMNS.map((_, at) => `json_extract(value, '$[${at}]')`).join(', ')} FROM json_each(?1) WHERE true
  ON CONFLICT (id) DO NOTHING`

/**
 * Keeps decisions in D1: one statement for a batch of events, whatever its size. An event written twice is stored and
 * counted once. A measured number that is not finite is stored as `null`.
 *
 * @returns a store whose `write` rejects with D1's own error when the database fails; nothing of the batch is stored
 *   then, unless it had to be divided because of an event that was rejected
 * @example
 * const log = createBufferedDecisionLog({ store: createD1DecisionStore({ db: env.DB }) })
 */
export function createD1DecisionStore({ db, onRejected }: D1DecisionStoreOptions): DecisionStore {
  async function write(events: readonly NumberedEvent[]): Promise<void> {
    const batches = jsonBatches(events.map((numbered) => COLUMNS.map(([, read]) => read(numbered))))
    if (batches.length === 0) return
    const insert = db.prepare(INSERT)
    try {
      await db.batch(batches.map((batch) => insert.bind(batch)))
    } catch (thrown) {
      if (!isRejection(thrown)) throw thrown
      if (events.length === 1) return onRejected?.(thrown)
      // One of them is to blame: halving finds it in few statements.
      const middle = Math.ceil(events.length / 2)
      await write(events.slice(0, middle))
      await write(events.slice(middle))
    }
  }

  return { write }
}

/** Whether D1 refused what was written, rather than failed to write it. */
function isRejection(thrown: unknown): boolean {
  return thrown instanceof Error && /SQLITE_CONSTRAINT|constraint failed|SQLITE_TOOBIG|too big/.test(thrown.message)
}

/** A count as an INTEGER column takes it. */
function whole(count: number | undefined): Json {
  return count !== undefined && Number.isFinite(count) ? Math.round(count) : null
}
