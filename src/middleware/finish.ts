/** The end of every exchange: the gate's headers, and the decision's way into the log. */
import type { Context } from 'hono'
import type { Decision, Timings } from '../core/policy/decision.ts'
import type { Policy } from '../core/policy/policy.ts'
import { newId } from '../pipeline/new-id.ts'
import type { FoundAnswer } from '../pipeline/question-cache.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'
import type { Exchange } from './exchange.ts'
import { type CacheOutcome, NO_CACHE } from './gate-cache.ts'
import type { AnswerReport } from './gate-context.ts'
import { ragGateHeader, serverTimingHeader } from './headers.ts'
import { later } from './later.ts'

/** What is known when a response is ready. */
export interface Outcome {
  readonly decision: Decision
  /** The policy that decided. */
  readonly policy: Policy
  /** The stored answer that is sent; absent where it was made for this question. */
  readonly found?: FoundAnswer
  /** Whether the handler was called: it may have been, and failed, where a stored answer is sent. */
  readonly handler: 'called' | 'not-called'
  readonly timings: Timings
  /** How the handler's answer ended, once it did. */
  readonly end?: AnswerEnd | Promise<AnswerEnd>
  /** Rounds of retrieval on the way of this question. */
  readonly retrievals: number
}

/** How an answer ended. */
export interface AnswerEnd {
  /** What the handler reported of it. */
  readonly report: AnswerReport
  /** Status of the failure that a stream broke off by, after it had been sent with another. */
  readonly status?: number
}

/** Writes the gate's headers, and records the decision once the response is on its way. */
export function finish(c: Context, exchange: Exchange, response: Response, outcome: Outcome): void {
  const { settings, dependencies, startedMs } = exchange
  const { decision, policy, found } = outcome
  const cache = exchange.cache?.outcome(found) ?? NO_CACHE
  const nowMs = dependencies.clock.nowMs()
  const timings = { ...outcome.timings, totalMs: nowMs - startedMs }
  const eventId = found === undefined ? decision.id : newId(dependencies.clock)
  const { headers } = response
  headers.set('rag-gate', ragGateHeader(decision, eventId, settings.mode))
  if (cache.status !== undefined) headers.set('cache-status', cache.status)
  if (cache.ageSeconds !== undefined) headers.set('age', String(cache.ageSeconds))
  // Phases that did not run are phases that a stored answer saved.
  headers.set('server-timing', serverTimingHeader(cache.status === undefined ? { totalMs: timings.totalMs } : timings))
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
  later(c, () => {
    const warning = found === undefined ? policy.preset?.warning?.(decision) : undefined
    if (warning !== undefined) settings.onWarning(warning)
    return undefined
  })
  const { record } = dependencies
  if (record === undefined) return
  const known = { id: eventId, atMs: nowMs, timings }
  const recordWith = ({ report, status = response.status }: AnswerEnd): Promise<void> | undefined =>
    record(eventOf(exchange, outcome, report, cache, { ...known, status }), exchange.request.question)
  const { end = { report: {} } } = outcome
  later(c, () => (end instanceof Promise ? end.then(recordWith) : recordWith(end)))
}

/** What is recorded of an exchange. Where its savings or its audit trail cannot be worked out, it is recorded without. */
function eventOf(
  { settings, dependencies, request, route }: Exchange,
  { decision, policy, found, handler, retrievals }: Outcome,
  report: AnswerReport,
  { state }: CacheOutcome,
  known: Pick<DecisionEvent, 'id' | 'atMs' | 'status' | 'timings'>,
): DecisionEvent {
  const { mode, onWarning } = settings
  const orWarn = <Value>(code: string, what: string, work: () => Value): Value | undefined => {
    try {
      return work()
    } catch (cause) {
      onWarning({ code, message: `${what} could not be worked out: the decision is recorded without`, cause })
      return undefined
    }
  }
  const usage = found?.answer.usage
  // A stored answer that stands in for a handler which failed saved no call of it.
  const saved = orWarn('savings_failed', 'What was saved', () =>
    found !== undefined && handler === 'called'
      ? undefined
      : dependencies.savings?.({ decision, mode, cache: state, retrievals, ...(usage && { usage }) }),
  )
  const audit =
    orWarn('audit_failed', 'The entries of the audit trail', () =>
      policy.preset?.auditEvents?.(decision, known.atMs),
    ) ?? []
  return {
    ...known,
    decision,
    mode,
    route,
    cache: state,
    principalId: request.principal.id,
    ...(report.model === undefined ? {} : { model: report.model }),
    ...(report.usage && { usage: report.usage }),
    ...(saved && { saved }),
    ...(audit.length === 0 ? {} : { audit }),
  }
}
