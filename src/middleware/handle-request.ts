/** The steps of a request: read, judge, answer, store, record. Each takes the result of the one before. */
import type { Context, Next } from 'hono'
import { gateQuestion } from '../pipeline/gate-question.ts'
import type { RouteSettings } from './check-options.ts'
import { putResponse } from './context-response.ts'
import type { ResolvedDependencies } from './dependencies.ts'
import { readExchange } from './exchange.ts'
import type { RagGateEnv } from './gate-context.ts'
import { record, streamOf } from './record.ts'
import { replyTo } from './reply.ts'

/**
 * Handles a request, and leaves the response in the context.
 *
 * @throws the errors of reading, retrieving, judging and answering; the request signal's reason if its client disconnected before the search or the handler
 */
export async function handleRequest<Bindings extends object>(
  c: Context<RagGateEnv<Bindings>>,
  next: Next,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): Promise<void> {
  const exchange = await readExchange(c, settings, dependencies)
  // Requests of disconnected clients are dropped, so that a flood of them cannot use up the Worker.
  exchange.received.signal.throwIfAborted()
  const gated = await gateQuestion(dependencies, settings, exchange.request, exchange.cache)
  const reply = await replyTo(c, next, exchange, gated)
  const stream = streamOf(exchange, reply)
  // Called before the response is sent, while its body can still be copied.
  exchange.cache?.store(gated.lookup, { ...reply.made, ...(stream && { copy: stream.copy }) })
  putResponse(c, record(exchange, reply, stream))
  if (reply.failure !== undefined) throw reply.failure.thrown
}
