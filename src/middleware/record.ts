/** The end of every exchange: the gate's headers, and the decision's way into the log. */
import { errorForLog } from '../errors.ts'
import { type CacheOutcome, NO_CACHE } from '../pipeline/gate-cache.ts'
import { newId } from '../pipeline/new-id.ts'
import type { QuestionHmac } from '../pipeline/question-hmac.ts'
import { inTime, storeFaults } from '../pipeline/within-deadline.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'
import type { Exchange } from './exchange.ts'
import type { AnswerReport } from './gate-context.ts'
import { ragGateHeader, serverTimingHeader } from './headers.ts'
import type { Reply } from './reply.ts'
import { statusOf } from './respond.ts'
import { type AnswerStream, answerStream } from '../http/answer-stream.ts'
import { mediaTypeOf } from '../http/media-type.ts'

/**
 * The answer on its way, which may break off; `undefined` for what is whole: a stored text, a refusal, no body, and, where
 * nothing is stored, JSON, which is mostly made at once: it is sent as it is.
 */
export function streamOf({ settings, cache }: Exchange, { response, found, made }: Reply): AnswerStream | undefined {
  const mayBreakOff = found
    ? found.body
    : made.kind !== 'refusal' && (cache || mediaTypeOf(response.headers.get('content-type')) !== 'json')
  return mayBreakOff && response.body ? answerStream(response, settings) : undefined
}

/** Has the decision recorded once the response is on its way. @returns the response with the gate's headers */
export function record(exchange: Exchange, reply: Reply, stream: AnswerStream | undefined): Response {
  const { settings, dependencies, startedMs, later } = exchange
  const { decision, policy, found, lookup } = reply
  const cache = exchange.cache?.outcome(lookup, found) ?? NO_CACHE
  // The id comes first: an event is found by the time in its id, which must not be after its own.
  const id = found === undefined ? decision.id : newId(dependencies.clock)
  const atMs = dependencies.clock.nowMs()
  const timings = { ...reply.timings, totalMs: atMs - startedMs }
  // No handler ran for a stored answer, so none reported.
  const reported = found === undefined ? reply.reported : undefined
  const log = (status = reply.response.status): Promise<void> | undefined =>
    recordDecision(exchange, reply, reported?.() ?? {}, cache, { id, atMs, timings, status })
  const response = stream?.response ?? writable(reply.response)
  const { headers } = response
  headers.set('rag-gate', ragGateHeader(decision, policy, id, settings.mode))
  if (cache.status !== undefined) headers.set('cache-status', cache.status)
  if (cache.ageSeconds !== undefined) headers.set('age', String(cache.ageSeconds))
  // Where the caller is not told of the cache, missing phases would tell a stored answer.
  headers.set('server-timing', serverTimingHeader(cache.status === undefined ? { totalMs: timings.totalMs } : timings))
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
  later(() => (stream === undefined ? log() : statusAtEnd(exchange, stream).then(log)))
  return response
}

/**
 * What an answer used, and whether it broke off, is known at its end: the record waits for that.
 *
 * @returns the status of the failure that it broke off by, after it had been sent with another
 */
async function statusAtEnd({ received }: Exchange, { ended, requestId }: AnswerStream): Promise<number | undefined> {
  const failure = await ended
  // A caller who left is told nothing any more, and the model did not fail.
  if (failure === undefined || received.signal.aborted) return undefined
  console.error(`[rag-gate] ${errorForLog(failure, requestId)}`)
  return statusOf(failure.code)
}

/** A response with headers that can be written: those of one passed on from `fetch` cannot. */
function writable(response: Response): Response {
  try {
    response.headers.delete('rag-gate')
    return response
  } catch {
    return new Response(response.body, response)
  }
}

const HMAC_FAULTS = storeFaults('The HMAC')

/**
 * Records what became of a question. What cannot be worked out beside the decision, or not in time, is left out, and
 * `onWarning` is told.
 *
 * @returns a promise where there is work left
 */
export function recordDecision(
  { settings, dependencies, request, route }: Pick<Exchange, 'settings' | 'dependencies' | 'request' | 'route'>,
  {
    decision,
    policy,
    found,
    handler,
    retrievals,
  }: Pick<Reply, 'decision' | 'policy' | 'found' | 'handler' | 'retrievals'>,
  report: AnswerReport,
  { state }: CacheOutcome,
  known: Pick<DecisionEvent, 'id' | 'atMs' | 'status' | 'timings'>,
): Promise<void> | undefined {
  const { mode, onWarning } = settings
  const { log, savings, questionHmac } = dependencies
  const warn = (code: string, cause: unknown): undefined => {
    onWarning({ code, message: 'The record lacks a part', cause })
  }
  const catchAndWarn = <Value>(code: string, work: () => Value): Value | undefined => {
    try {
      return work()
    } catch (cause) {
      return warn(code, cause)
    }
  }
  // A stored answer was warned of when it was made.
  const warning = found ? undefined : catchAndWarn('warning_failed', () => policy.preset?.warning?.(decision))
  if (warning !== undefined) onWarning(warning)
  if (log === undefined) return undefined
  const usage = found?.answer.usage
  // A stored answer that stands in for a handler which failed saved no call of it.
  const saved = catchAndWarn('savings_failed', () =>
    found !== undefined && handler === 'called'
      ? undefined
      : savings?.({ decision, mode, cache: state, retrievals, usage }),
  )
  const audit = catchAndWarn('audit_failed', () => policy.preset?.auditEvents?.(decision, known.atMs)) ?? []
  const event: DecisionEvent = {
    ...known,
    decision,
    mode,
    route,
    cache: state,
    principalId: request.principal.id,
    ...(report.model && { model: report.model }),
    ...(report.usage && { usage: report.usage }),
    ...(saved && { saved }),
    ...(audit.length > 0 && { audit }),
  }
  if (questionHmac === undefined) return log.record(event)
  const hash = (): ReturnType<QuestionHmac> => questionHmac(decision.tenant, request.question, known.atMs)
  return inTime(settings.retrieval.timeoutMs, HMAC_FAULTS, hash)
    .catch((cause: unknown) => warn('hmac_failed', cause))
    .then((question) => log.record({ ...event, ...(question && { question }) }))
}
