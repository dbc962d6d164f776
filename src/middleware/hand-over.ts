/** The question goes to the handler, and its answer comes back. */
import type { Context, Next } from 'hono'
import type { JudgedResult } from '../pipeline/gate-question.ts'
import { requireSendable, takeResponse } from './context-response.ts'
import type { Exchange } from './exchange.ts'
import { type AnswerReport, makeGateContext, type RagGateEnv } from './gate-context.ts'

/** What a handler answered. */
export interface HandlersAnswer {
  readonly response: Response
  /** What it threw: then the application answered in its place. */
  readonly error: Error | undefined
  readonly generationMs: number
  /** Headers that middleware around the gate had set for this caller. */
  readonly outer: Headers
}

/** Shows the handler what the gate found. @returns what the handler reports of its answer */
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
 * @param left what the context holds of a response once the answer is taken out of it
 * @throws `config_invalid` for a handler that returned none that can be sent; what it threw that is no error
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
