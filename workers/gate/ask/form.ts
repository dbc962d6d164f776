/** The form of an answer: JSON, or a stream where one is asked for. */
import type { Context, MiddlewareHandler } from 'hono'
import { type AnswerBody, bodyOfStream, EVENT_STREAM, streamOfBody } from '@hono-rag-gate/chat/completions'
import { mediaTypeOf } from 'hono-rag-gate/http'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { SEARCH } from './search-answer.ts'

/**
 * Puts answers, refusals and what is sent from the cache into the form that was asked for, in which form they were made or kept
 * as. Errors stay JSON. Mount it before the gate, which checks the body that says what is asked for.
 */
export const answerForm: MiddlewareHandler<{ Bindings: GateBindings }> = async function answerForm(c, next) {
  await next()
  // Only what the gate decided has it.
  if (c.res.status !== 200 || !c.res.headers.has('rag-gate')) return
  const media = mediaTypeOf(c.res.headers.get('content-type'))
  const isWanted = await wantsStream(c)
  if (isWanted && media === 'json') {
    // An answer or a refusal of this Worker.
    const body = await c.res.json<AnswerBody>()
    replace(c, EVENT_STREAM, streamOfBody(body, compositionFor(c.env).generator?.model ?? SEARCH))
  } else if (!isWanted && media === 'events') {
    replace(c, 'application/json', JSON.stringify(bodyOfStream(await c.res.text())))
  }
}

/**
 * Whether a caller wants a stream: by the member `stream`, else by an `Accept` that takes events and names no JSON. The
 * gate has read and checked the body.
 */
export async function wantsStream(c: Pick<Context, 'req'>): Promise<boolean> {
  const { stream } = await c.req.json<{ readonly stream?: boolean }>()
  const accepted = c.req.header('accept') ?? ''
  return stream ?? (accepted.includes(EVENT_STREAM) && !accepted.includes('application/json'))
}

/** Another body under the same headers. */
export function replace(c: Context, type: string, body: string | ReadableStream<Uint8Array>): void {
  const headers = new Headers(c.res.headers)
  headers.set('content-type', type)
  headers.delete('content-length')
  // Hono gives a new response the headers of the one it replaces.
  c.res = undefined
  c.res = new Response(body, { headers })
}
