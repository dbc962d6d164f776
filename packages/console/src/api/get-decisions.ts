/** `GET /v1/decisions` and `/v1/decisions/{id}`: single decisions. */
import type { ConsoleContext } from './context.ts'
import type { DecisionsPage, ListedDecision, RecordedDecision } from '../d1/recorded-decisions.ts'
import { defined, canonicalJson } from 'hono-rag-gate/core/lib'
import { refusalRecord } from 'hono-rag-gate/core/reports'
import type { Decision, Policy } from 'hono-rag-gate/core/policy'
import { requireAdmin } from './require-admin.ts'
import { ConsoleError } from '../errors.ts'
import { readLimit } from './read-limit.ts'
import { cursorOf, readCursor } from './cursor.ts'
import { DAY_MS } from '../durations.ts'
import { choice, FILTER_NAMES, readFilter, readFormat, readNumber, readPeriod, readTenant } from './parameters.ts'
import { csv, json, onTheWire } from './wire.ts'

const LONGEST_MS = 366 * DAY_MS
/** Columns of a decision table. */
export const COLUMNS = [
  'id',
  'decision_id',
  'at',
  'collection',
  'verdict',
  'reason',
  'confidence',
  'band',
  'policy_id',
  'mode',
  'cache',
  'status',
  'total_ms',
  'model',
  'saved',
  'escalate',
  'document_ids',
  'question_hmac',
  'question_text',
  'principal_id',
]

/** A page of decisions, latest first. */
export async function listDecisions(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, [
    'from',
    'to',
    'limit',
    'cursor',
    'format',
    'principal',
    ...ONLY_NAMES,
    ...FILTER_NAMES,
  ])
  const tenant = readTenant(c, principal)
  const filter = readFilter(c)
  const format = readFormat(c)
  const limit = readLimit(c, 50)
  const period = readPeriod(c, LONGEST_MS, 7 * DAY_MS)
  const only = { ...defined({ principalId: c.req.query('principal') }), ...readOnly(c) }
  const bound = [tenant, canonicalJson({ ...filter }), canonicalJson(only)]
  const after = readCursor(c.req.query('cursor'), bound)
  await parts.flush()
  const { decisions, next } = await parts.recorded.list({
    tenant,
    ...period,
    filter,
    limit,
    ...only,
    after,
  })
  const rows = decisions.map(listed)
  const nextCursor = next === undefined ? null : cursorOf(next, bound)
  if (format === 'json') return json(c, { decisions: rows, next_cursor: nextCursor })
  return csv(c, 'decisions', COLUMNS, rows, nextCursor === null ? {} : { 'x-next-cursor': nextCursor })
}

const ONLY_NAMES = ['question', 'document', 'led_by', 'saved', 'min_confidence', 'max_confidence'] as const

/** Filters by question, document, kind of saving, or range of confidence. @throws `filter` */
function readOnly(
  c: ConsoleContext,
): Pick<DecisionsPage, 'questionHmac' | 'documentId' | 'ledBy' | 'saved' | 'minConfidence' | 'maxConfidence'> {
  const [question, document, ledBy] = ['question', 'document', 'led_by'].map((name) => c.req.query(name))
  const saved = choice(c, 'saved')
  const [min, max] = (['min_confidence', 'max_confidence'] as const).map((name) =>
    c.req.query(name) === undefined ? undefined : readNumber(c, name, 0, 1),
  )
  return defined({ questionHmac: question, documentId: document, ledBy, saved, minConfidence: min, maxConfidence: max })
}

/** A listed decision in wire form. */
export function listed({ escalate, ...decision }: ListedDecision): Record<string, unknown> {
  return {
    // The wire form of an object is an object.
    ...(onTheWire(decision) as object),
    escalate: escalate === 1,
  }
}

/** The full record of one decision. */
export async function getDecision(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c)
  const tenant = readTenant(c, principal)
  await parts.flush()
  const found = await parts.recorded.one(tenant, c.req.param('id') ?? '')
  if (found === undefined) throw new ConsoleError('decision_not_found', 'There is no such decision')
  const policy = await parts.policyOf(tenant, found.policyId)
  return json(c, { ...wholeRecord(found), told: policy === undefined ? {} : presetMembers(decisionOf(found), policy) })
}

/** What the policy's preset adds to an answer, such as badge and banner, for operators. No passage is recorded. */
function presetMembers(decision: Decision, { preset, gates }: Policy): object {
  return preset?.summary?.({ decision, chunks: [], audience: 'operator', gates }) ?? {}
}

function wholeRecord(found: RecordedDecision): Record<string, unknown> {
  const { pin: _pin, signals, answerSignals, policy, findings, auditEvents, escalate, audit: _, ...others } = found
  return {
    // The wire form of an object is an object.
    ...(onTheWire(others) as object),
    escalate: escalate === 1,
    // Signals, policy and findings keep their member names, which are those of decisions and policy files.
    findings,
    signals,
    answer_signals: answerSignals,
    policy,
    calibration: calibrationOf(found),
    rejection: refusalRecord(decisionOf(found), found.atMs, found.questionText ?? undefined) ?? null,
    audit_events: auditEvents.map(({ atMs, ...event }) => ({ at: new Date(atMs).toISOString(), ...event })),
  }
}

/** What the policy was calibrated on, and whether documents had changed before the decision. */
function calibrationOf({ pin, corpusVersion }: RecordedDecision): Record<string, unknown> | null {
  if (pin === null) return null
  const changed = pin.corpus_version !== corpusVersion
  const advice = changed ? 'Documents have changed since the calibration: run eval, and calibrate again' : null
  return { pin, documents_changed: changed, advice }
}

/** The decision from its record; numbers that were not finite are `null`. */
function decisionOf(found: RecordedDecision): Decision {
  const { decisionId, confidence, answerSignals, escalate, reranker, ...recorded } = found
  return {
    ...recorded,
    id: decisionId,
    confidence: confidence ?? 0,
    reranker: reranker ?? 'off',
    ...(answerSignals === null ? {} : { answerSignals }),
    ...(escalate === 1 ? { escalate: true } : {}),
    reason: recorded.reason,
  }
}
