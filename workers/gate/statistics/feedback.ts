/** `/v1/feedback` and `/v1/decisions/{id}/label`: what people say of answers and refusals, and what follows from it. */
import type { Context, MiddlewareHandler } from 'hono'
import { estimateErrorRates, type LabelledDecisions, suggestThresholdChange } from '@hono-rag-gate/calibration'
import { type LabelCount, timeOfEvent, type TotalsOf } from '@hono-rag-gate/console'
import type { Policy } from 'hono-rag-gate/core/policy'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import { readJsonObject } from 'hono-rag-gate/middleware'
import type { Principal } from 'hono-rag-gate/ports'
import { requireScope } from '../access.ts'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { WorkerError } from '../errors.ts'
import { policyOfId } from '../policies/policy-for.ts'
import { readLimit } from '../read-limit.ts'
import { checkNames, DAY_MS, readFilter, readFormat, readPeriod, readTenant } from './parameters.ts'
import { daysOf } from './stores.ts'
import { csv, json, onTheWire } from './wire.ts'

const LIMITS = { maxBytes: 32_768, timeoutMs: 10_000 }
const MAX_COMMENT_BYTES = 10_240
const DEFAULT_RETENTION_DAYS = 90
const LONGEST_MS = 366 * DAY_MS
/** Names the header in which a signed id goes out with every answer and refusal. */
const FEEDBACK_HEADER = 'rag-gate-feedback'

type FeedbackContext = Context<{ Bindings: GateBindings }>

/** Gives every answer and refusal of the gate its signed id, in a header. Mount it before the gate. */
export const feedbackHeader: MiddlewareHandler<{ Bindings: GateBindings }> = async function feedbackHeader(c, next) {
  const { answerTokens: tokens } = compositionFor(c.env)
  if (tokens === undefined) return next()
  // Found out before the answer is made: nothing that fails later may take a finished answer away.
  const principal = await whoAsks(c)
  await next()
  const [, eventId] = /;id="([^"]+)"/.exec(c.res.headers.get('rag-gate') ?? '') ?? []
  if (eventId === undefined || principal === null) return
  c.res.headers.set(FEEDBACK_HEADER, await tokens.sign(principal.tenant, eventId))
}

/** `null` also where it cannot be told: the gate says so itself. */
async function whoAsks(c: FeedbackContext): Promise<Principal | null> {
  try {
    return await compositionFor(c.env).authenticate(c.req.raw)
  } catch {
    return null
  }
}

/** Keeps what whoever was answered says of it. */
export async function postFeedback(c: FeedbackContext): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await composition.authenticate(c.req.raw)
  if (principal === null) throw new RagGateError('unauthorized', 'Credentials are needed to say something of an answer')
  const { answer, rating, comment, ...others } = await readJsonObject(c.req, LIMITS)
  if (Object.keys(others).length > 0) {
    throw new RagGateError('unknown_field', 'The body may have only answer, rating and comment')
  }
  const said = { rating: checkRating(rating), ...checkComment(comment) }
  const eventId =
    typeof answer === 'string' ? await composition.answerTokens?.read(principal.tenant, answer) : undefined
  if (eventId === undefined) throw new WorkerError('answer_unknown', 'There is no such answer', { param: 'answer' })
  const keptMs = (daysOf(c.env, 'DECISION_RETENTION_DAYS') ?? DEFAULT_RETENTION_DAYS) * DAY_MS
  if (timeOfEvent(eventId) < Date.now() - keptMs) {
    throw new WorkerError('answer_expired', 'The answer is too old: nothing of it is kept any more')
  }
  await composition.log.flush()
  await keep(() =>
    composition.statistics.feedback.label({
      tenant: principal.tenant,
      eventId,
      source: 'user',
      principalId: principal.id,
      ...said,
    }),
  )
  return json(c, { recorded: true }, 201)
}

/** Keeps what a reviewer says of a decision; it counts before what the user said. */
export async function putLabel(c: FeedbackContext): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  const { rating, comment, ...others } = await readJsonObject(c.req, LIMITS)
  if (Object.keys(others).length > 0) {
    throw new RagGateError('unknown_field', 'The body may have only rating and comment')
  }
  const said = { rating: checkRating(rating), ...checkComment(comment) }
  const tenant = readTenant(c, principal)
  await composition.log.flush()
  const { recorded, feedback } = composition.statistics
  const found = await recorded.one(tenant, c.req.param('id') ?? '')
  if (found === undefined) throw new WorkerError('decision_not_found', 'There is no such decision')
  await keep(() =>
    feedback.label({ tenant, eventId: found.id, source: 'reviewer', principalId: principal.id, ...said }),
  )
  return json(c, { id: found.id, ...said })
}

/** How often each policy errs, by what people say, and which way its threshold should go. */
export async function getFeedback(c: FeedbackContext): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, ['from', 'to', 'limit', 'format'])
  const tenant = readTenant(c, principal)
  const period = readPeriod(c, LONGEST_MS, 31 * DAY_MS)
  const format = readFormat(c)
  const limit = readLimit(c, 50)
  await composition.log.flush()
  const { summaries, feedback } = composition.statistics
  const latest = await feedback.latest(tenant, period.fromMs, period.toMs, limit)
  const rows = onTheWire(latest) as readonly Record<string, unknown>[]
  if (format === 'csv') {
    return csv(
      c,
      'labels',
      ['event_id', 'at', 'source', 'rating', 'comment', 'verdict', 'policy_id', 'collection'],
      rows,
    )
  }
  const [counts, { byPolicy }] = await Promise.all([
    feedback.counts(tenant, period.fromMs, period.toMs),
    summaries.summary({ tenant, ...period, interval: 'day' }),
  ])
  const policies = await Promise.all(
    byPolicy.map(async (totals) => errorsOf(totals, await policyOfId(composition, tenant, totals.name), counts)),
  )
  return json(c, { policies, labels: rows })
}

/** What people said, as labelled questions that `rag-gate eval` and `calibrate` read. */
export async function getLabels(c: FeedbackContext): Promise<Response> {
  const composition = compositionFor(c.env)
  const principal = await requireScope(composition, c.req.raw, 'admin')
  checkNames(c, ['from', 'to', 'collection'])
  const { collection } = readFilter(c)
  const query = {
    tenant: readTenant(c, principal),
    ...readPeriod(c, LONGEST_MS, DEFAULT_RETENTION_DAYS * DAY_MS),
    ...(collection === undefined ? {} : { collection }),
  }
  await composition.log.flush()
  const said = await composition.statistics.feedback.questions(query)
  const labels = said.flatMap(({ question, answerable, source, collection: of }) =>
    question === null ? [] : [{ question, answerable, kind: kindOf(answerable, source), collection: of }],
  )
  return json(c, { labels, without_text: said.length - labels.length })
}

/** Names the kind for the figures by kind: who said so. */
function kindOf(answerable: boolean, source: 'user' | 'reviewer'): string {
  return `${answerable ? 'answerable' : 'unanswerable'}, by a ${source}`
}

function errorsOf(
  { name, byVerdict }: TotalsOf,
  policy: Policy | undefined,
  counts: readonly LabelCount[],
): Record<string, unknown> {
  const of = (refused: boolean, decisions: number): LabelledDecisions => {
    const some = counts.filter(({ policyId, verdict }) => policyId === name && (verdict === 'refuse') === refused)
    const sum = (rating: 'right' | 'wrong'): number => some.reduce((soFar, each) => soFar + each[rating], 0)
    return { decisions, right: sum('right'), wrong: sum('wrong') }
  }
  const refusals = of(true, byVerdict.refuse)
  const answers = of(false, byVerdict.pass + byVerdict.advise)
  const rates = estimateErrorRates(refusals, answers)
  return {
    policy_id: name,
    // The wire form of an object is an object.
    ...(onTheWire({ refusals, answers, ...rates }) as object),
    suggestion: policy === undefined ? null : suggestionFor(policy, refusals, answers, rates.falseRefusals.rate),
  }
}

/** By the documented rule; a suggestion, carried out by nobody but a person. */
function suggestionFor(
  policy: Policy,
  refusals: LabelledDecisions,
  answers: LabelledDecisions,
  falseRefusals: number | null,
): Record<string, unknown> {
  const [saidOfRefusals, saidOfAnswers] = [refusals.right + refusals.wrong, answers.right + answers.wrong]
  const { action, because, change } = suggestThresholdChange(policy, {
    falseRefusals: { rate: falseRefusals, labels: Math.min(saidOfRefusals, saidOfAnswers) },
    hallucinations: { rate: saidOfAnswers === 0 ? null : answers.wrong / saidOfAnswers, labels: saidOfAnswers },
  })
  if (change === undefined) return { action, because }
  return { action, because, gate: change.gate, from: change.from, to: change.to, policy_id: change.policy.id }
}

function checkRating(rating: unknown): 'right' | 'wrong' {
  if (rating === 'right' || rating === 'wrong') return rating
  throw new WorkerError('rating', 'rating must be right or wrong', { param: 'rating' })
}

function checkComment(comment: unknown): { readonly comment?: string } {
  if (comment === undefined || comment === null) return {}
  if (typeof comment === 'string' && new TextEncoder().encode(comment).byteLength <= MAX_COMMENT_BYTES) {
    if (!/\p{Surrogate}/u.test(comment)) return { comment }
    throw new RagGateError('invalid_unicode', 'comment is not well-formed Unicode', { param: 'comment' })
  }
  throw new WorkerError('comment_too_long', `comment must be a string of at most ${MAX_COMMENT_BYTES} bytes`, {
    param: 'comment',
  })
}

const RETRY_AFTER_SECONDS = 5

/** What was not kept is never said to be kept: whoever said it is asked to come again. */
async function keep(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (thrown) {
    if (!isRagGateError(thrown) || thrown.code !== 'store_unavailable') throw thrown
    throw new RagGateError('store_unavailable', thrown.message, {
      cause: thrown.cause,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}
