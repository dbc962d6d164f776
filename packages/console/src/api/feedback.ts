/** `/v1/feedback` and `/v1/decisions/{id}/label`: labels from users and reviewers, and error rates from them. */
import { defined, timeOfId } from 'hono-rag-gate/core/lib'
import type { ConsoleContext } from './context.ts'
import type { ConsoleParts } from '../parts.ts'
import { estimateErrorRates, type LabelledDecisions, suggestThresholdChange } from '@hono-rag-gate/calibration'
import type { Label, LabelCount } from '../d1/feedback.ts'
import type { TotalsOf } from '../d1/statistics/totals.ts'
import type { Policy } from 'hono-rag-gate/core/policy'
import { isRagGateError, RagGateError } from 'hono-rag-gate/errors'
import { readJsonObject } from 'hono-rag-gate/middleware'
import { requireAdmin } from './require-admin.ts'
import { ConsoleError } from '../errors.ts'
import { readLimit, WHOLE } from './read-limit.ts'
import { checkMembers } from './check-members.ts'
import { DAY_MS } from '../durations.ts'
import { readFilter, readFormat, readInterval, readPeriod, readTenant } from './parameters.ts'
import { csv, json, onTheWire } from './wire.ts'

const LIMITS = { maxBytes: 32_768, timeoutMs: 10_000 }
const MAX_COMMENT_BYTES = 10_240
const LONGEST_MS = 366 * DAY_MS
const LABELS_MS = 90 * DAY_MS

/** Stores a label from the caller who got the answer. */
export async function postFeedback(c: ConsoleContext): Promise<Response> {
  const { ragGateConsole: parts } = c.var
  const principal = await parts.authenticate(c.req.raw)
  if (principal === null) throw new RagGateError('unauthorized', 'A bearer token is needed')
  const { answer, rating, comment, ...others } = await readJsonObject(c.req, LIMITS)
  checkMembers(others, 'answer, rating, comment')
  const said = { rating: checkRating(rating), ...checkComment(comment) }
  const eventId = typeof answer === 'string' ? await parts.answerTokens?.read(principal.tenant, answer) : undefined
  if (eventId === undefined) throw new ConsoleError('answer_unknown', 'There is no such answer', { param: 'answer' })
  const keptMs = parts.decisionDays * DAY_MS
  if ((timeOfId(eventId) ?? 0) < parts.clock.nowMs() - keptMs) {
    throw new ConsoleError('answer_expired', 'The answer is too old: it is kept no more')
  }
  await parts.flush()
  const { tenant, id: principalId } = principal
  await keepLabel(parts, { tenant, eventId, source: 'user', principalId, ...said })
  return json(c, { recorded: true }, 201)
}

/** Stores a reviewer's label of a decision; it takes precedence over the user's. */
export async function putLabel(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c)
  const { rating, comment, ...others } = await readJsonObject(c.req, LIMITS)
  checkMembers(others, 'rating, comment')
  const said = { rating: checkRating(rating), ...checkComment(comment) }
  const tenant = readTenant(c, principal)
  await parts.flush()
  const found = await parts.recorded.one(tenant, c.req.param('id') ?? '')
  if (found === undefined) throw new ConsoleError('decision_not_found', 'There is no such decision')
  await keepLabel(parts, { tenant, eventId: found.id, source: 'reviewer', principalId: principal.id, ...said })
  return json(c, { id: found.id, ...said })
}

/** Error rates of each policy by the labels, and a suggested threshold change. */
export async function getFeedback(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['from', 'to', 'collection', 'policy', 'limit', 'format'])
  const tenant = readTenant(c, principal)
  const period = readPeriod(c, LONGEST_MS, 31 * DAY_MS)
  const { collection, policyId } = readFilter(c)
  const filter = defined({ collection, policyId })
  const query = { tenant, ...period, ...filter }
  const format = readFormat(c)
  const limit = readLimit(c, format === 'csv' ? WHOLE : 50)
  await parts.flush()
  const { summaries, feedback } = parts
  const latest = await feedback.latest(query, limit)
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
    feedback.counts(query),
    summaries.summary({ tenant, ...period, filter, interval: readInterval(c, period) }),
  ])
  const policies = await Promise.all(
    byPolicy.map(async (totals) => errorsOf(totals, await parts.policyOf(tenant, totals.name), counts)),
  )
  return json(c, { policies, labels: rows })
}

/** The labels as labelled questions for `rag-gate eval` and `calibrate`. */
export async function getLabels(c: ConsoleContext): Promise<Response> {
  const { parts, principal } = await requireAdmin(c, ['from', 'to', 'collection'])
  const { collection } = readFilter(c)
  const query = {
    tenant: readTenant(c, principal),
    ...readPeriod(c, LONGEST_MS, LABELS_MS),
    ...defined({ collection }),
  }
  await parts.flush()
  const said = await parts.feedback.questions(query)
  const labels = said.flatMap(({ question, answerable, source, collection: of }) =>
    question === null ? [] : [{ question, answerable, kind: kindOf(answerable, source), collection: of }],
  )
  return json(c, { labels, without_text: said.length - labels.length })
}

/** The kind of a label, for figures by kind: who gave it. */
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

/** The suggestion by the documented rule; only a person carries it out. */
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

/** Stores a label. If it is `wrong`, the answer or refusal is purged from the cache. */
async function keepLabel({ feedback, purges, recorded }: ConsoleParts, label: Label): Promise<void> {
  await keep(() => feedback.label(label))
  if (label.rating !== 'wrong' || purges === undefined) return
  const { tenant, eventId } = label
  await keep(async () => {
    // A decision that was sent from the cache has its own id.
    const decision = await recorded.one(tenant, eventId)
    await purges.purge([{ kind: 'answer', tenant, decisionId: decision?.decisionId ?? eventId }])
  })
}

function checkRating(rating: unknown): 'right' | 'wrong' {
  if (rating === 'right' || rating === 'wrong') return rating
  throw new ConsoleError('rating', 'rating must be right or wrong', { param: 'rating' })
}

function checkComment(comment: unknown): { readonly comment?: string } {
  if (comment === undefined || comment === null) return {}
  if (typeof comment === 'string' && new TextEncoder().encode(comment).byteLength <= MAX_COMMENT_BYTES) {
    if (!/\p{Surrogate}/u.test(comment)) return { comment }
    throw new RagGateError('invalid_unicode', 'comment is not well-formed Unicode', { param: 'comment' })
  }
  throw new ConsoleError('comment_too_long', `comment must be a string of at most ${MAX_COMMENT_BYTES} bytes`, {
    param: 'comment',
  })
}

const RETRY_AFTER_SECONDS = 5

/** Stores a label, or throws an error that asks the caller to retry. */
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
