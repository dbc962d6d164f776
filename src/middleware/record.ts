/** The last step of a request: sets the gate's headers, and records the decision. */
import { errorForLog } from '../errors.ts'
import { type CacheOutcome, NO_CACHE } from '../pipeline/gate-cache.ts'
import { newId } from '../pipeline/new-id.ts'
import type { QuestionHmac } from '../pipeline/question-hmac.ts'
import { inTime, storeFaults } from '../pipeline/within-deadline.ts'
import type { DecisionEvent } from '../ports/decision-log.ts'
import type { Exchange } from './exchange.ts'
import type { AnswerReport } from './gate-context.ts'
import { addServerTiming, ragGateHeader } from './headers.ts'
import type { Reply } from './reply.ts'
import { statusOf } from './respond.ts'
import { type AnswerStream, answerStream } from '../http/answer-stream.ts'
import { mediaTypeOf } from '../http/media-type.ts'

/**
 * Wraps a response body that may break off while it is sent. `undefined` for complete responses: stored text, a refusal, no
 * body and, without a cache, JSON, which is usually complete.
 */
export function streamOf({ settings, cache }: Exchange, { response, found, made }: Reply): AnswerStream | undefined {
  const mayBreakOff = found
    ? found.body
    : made.kind !== 'refusal' && (cache || mediaTypeOf(response.headers.get('content-type')) !== 'json')
  return mayBreakOff && response.body ? answerStream(response, settings) : undefined
}

/** Schedules recording of the decision after the response. @returns the response with the gate's headers */
export function record(exchange: Exchange, reply: Reply, stream: AnswerStream | undefined): Response {
  const { settings, dependencies, startedMs, later } = exchange
  const { decision, policy, found, lookup } = reply
  const cache = exchange.cache?.outcome(lookup, found) ?? NO_CACHE
  // Made first, because events are looked up by the time in their id, which must not be after `atMs`.
  const id = found ? newId(dependencies.clock) : decision.id
  const atMs = dependencies.clock.nowMs()
  const totalMs = atMs - startedMs
  const timings = { ...reply.timings, totalMs }
  const log = (status = reply.response.status): Promise<void> | undefined =>
    recordDecision(exchange, reply, reply.reported?.(), cache, { id, atMs, timings, status })
  const response = stream?.response ?? writable(reply.response)
  const { headers } = response
  headers.set('rag-gate', ragGateHeader(decision, policy, id, settings.mode))
  // `Cache-Status` and `Server-Timing` are lists, to which the handler and others may contribute.
  if (cache.status) headers.append('cache-status', cache.status)
  // If the caller must not learn about the cache, neither missing phases nor headers of the handler may reveal a hit.
  else headers.delete('server-timing')
  if (cache.ageSeconds !== undefined) headers.set('age', String(cache.ageSeconds))
  addServerTiming(headers, cache.status ? timings : { totalMs })
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
  later(() => (stream ? statusAtEnd(exchange, stream).then(log) : log()))
  return response
}

/**
 * Waits for the end of an answer, when its usage, and whether it broke off, are known.
 *
 * @returns the status of the failure if it broke off after headers were sent
 */
async function statusAtEnd({ received }: Exchange, { ended, requestId }: AnswerStream): Promise<number | undefined> {
  const failure = await ended
  // If the client disconnected, the model did not fail.
  if (failure === undefined || received.signal.aborted) return undefined
  console.error(`[rag-gate] ${errorForLog(failure, requestId)}`)
  return statusOf(failure.code)
}

/** A response with mutable headers: those from `fetch` are immutable. */
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
 * Records a question's decision and outcome. Additional data that fail or are late are left out, with a warning to
 * `onWarning`.
 *
 * @param report the handler's; `undefined` if it was not called
 * @returns a promise if there is work left
 */
export function recordDecision(
  { settings, dependencies, request, route }: Pick<Exchange, 'settings' | 'dependencies' | 'request' | 'route'>,
  { decision, policy, found, retrievals }: Pick<Reply, 'decision' | 'policy' | 'found' | 'retrievals'>,
  report: AnswerReport | undefined,
  { state }: CacheOutcome,
  known: Pick<DecisionEvent, 'id' | 'atMs' | 'status' | 'timings'>,
): Promise<void> | undefined {
  const { mode, onWarning } = settings
  const { log, savings, questionHmac } = dependencies
  const warn = (code: string, cause: unknown): undefined => {
    onWarning({ code, message: 'The record is incomplete', cause })
  }
  const catchAndWarn = <Value>(code: string, work: () => Value): Value | undefined => {
    try {
      return work()
    } catch (cause) {
      return warn(code, cause)
    }
  }
  // For a stored answer the warning was sent when it was made.
  const warning = found ? undefined : catchAndWarn('warning_failed', () => policy.preset?.warning?.(decision))
  if (warning !== undefined) onWarning(warning)
  if (!log) return undefined
  const usage = found?.answer.usage
  // An expired answer in place of a failed handler saved no call.
  const saved = catchAndWarn('savings_failed', () =>
    found && report ? undefined : savings?.({ decision, mode, cache: state, retrievals, usage }),
  )
  const audit = catchAndWarn('audit_failed', () => policy.preset?.auditEvents?.(decision, known.atMs)) ?? []
  const event: DecisionEvent = {
    ...known,
    decision,
    mode,
    route,
    cache: state,
    principalId: request.principal.id,
    ...(report?.model && { model: report.model }),
    ...(report?.usage && { usage: report.usage }),
    ...(saved && { saved }),
    ...(audit.length > 0 && { audit }),
  }
  if (!questionHmac) return log.record(event)
  const hash = (): ReturnType<QuestionHmac> => questionHmac(decision.tenant, request.question, known.atMs)
  return inTime(settings.retrieval.timeoutMs, HMAC_FAULTS, hash)
    .catch((cause: unknown) => warn('hmac_failed', cause))
    .then((question) => log.record({ ...event, ...(question && { question }) }))
}
