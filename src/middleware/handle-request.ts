/** The way of a request, as a list: read, judge, answer, keep, record. Each takes what the one before returned. */
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
 * Handles a request behind the gate: the response is in the context then.
 *
 * @throws what reading, retrieving, judging and answering throw; the reason of the request's signal where its client left before the search or the handler
 */
export async function handleRequest<Bindings extends object>(
  c: Context<RagGateEnv<Bindings>>,
  next: Next,
  settings: RouteSettings,
  dependencies: ResolvedDependencies,
): Promise<void> {
  const exchange = await readExchange(c, settings, dependencies)
  // No work is done for a client that left: under a flood of those that give up it would be all there is.
  exchange.received.signal.throwIfAborted()
  const gated = await gateQuestion(dependencies, settings, exchange.request, exchange.cache)
  const reply = await replyTo(c, next, exchange, gated)
  const stream = streamOf(exchange, reply)
  // Before the response is sent, while its body can still be copied.
  exchange.cache?.store(gated.lookup, { ...reply.made, ...(stream && { copy: stream.copy }) })
  putResponse(c, record(exchange, reply, stream))
  if (reply.failure !== undefined) throw reply.failure.thrown
}
