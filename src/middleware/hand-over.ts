/** Calls the handler, and takes its response. */
import type { Context, Next } from 'hono'
import type { JudgedResult } from '../pipeline/gate-question.ts'
import { requireSendable, takeResponse } from './context-response.ts'
import type { Exchange } from './exchange.ts'
import { type AnswerReport, makeGateContext, type RagGateEnv } from './gate-context.ts'

/** The handler's response. */
export interface HandlersAnswer {
  readonly response: Response
  /** What the handler threw; the response is then the application's. */
  readonly error: Error | undefined
  readonly generationMs: number
  /** Headers that middleware around the gate had set for this caller. */
  readonly outer: Headers
}

/** Sets `c.var.ragGate` for the handler. @returns access to the handler's reports */
export function showToHandler<Bindings extends object>(
  c: Context<RagGateEnv<Bindings>>,
  { request, messages }: Exchange,
  gated: JudgedResult,
): () => AnswerReport {
  const { gateContext, reported } = makeGateContext({ ...request, ...gated, messages })
  c.set('ragGate', gateContext)
  return reported
}

/**
 * @param left the response to leave in the context once the answer is taken out of it
 * @throws `config_invalid` if the handler returned no response that can be sent; anything it threw that is not an error
 */
export async function handOver<Bindings extends object>(
  c: Context<RagGateEnv<Bindings>>,
  next: Next,
  { dependencies: { clock } }: Exchange,
  left: Response,
): Promise<HandlersAnswer> {
  const startedMs = clock.nowMs()
  await next()
  requireSendable(c.finalized ? c.res : undefined, 'The handler')
  const generationMs = clock.nowMs() - startedMs
  return { response: takeResponse(c, left), error: c.error, generationMs, outer: left.headers }
}
