/** The form of an answer: JSON or an event stream. */
import type { Context, MiddlewareHandler } from 'hono'
import { type AnswerBody, bodyOfStream, EVENT_STREAM, streamOfBody } from '@hono-rag-gate/chat/completions'
import { mediaTypeOf } from 'hono-rag-gate/http'
import type { GateBindings } from '../bindings.ts'
import { compositionFor } from '../compose.ts'
import { SEARCH } from './search-answer.ts'

/**
 * Converts answers, refusals and cached answers to the requested form, whatever form they were made or cached in.
 * Errors stay JSON. Mount it before the gate, which validates the body with the requested form.
 */
export const answerForm: MiddlewareHandler<{ Bindings: GateBindings }> = async function answerForm(c, next) {
  await next()
  // Only responses of the gate have this header.
  if (c.res.status !== 200 || !c.res.headers.has('rag-gate')) return
  const media = mediaTypeOf(c.res.headers.get('content-type'))
  const isWanted = await wantsStream(c)
  if (isWanted && media === 'json') {
    // An answer or refusal of this Worker.
    const body = await c.res.json<AnswerBody>()
    replace(c, EVENT_STREAM, streamOfBody(body, compositionFor(c.env).generator?.model ?? SEARCH))
  } else if (!isWanted && media === 'events') {
    replace(c, 'application/json', JSON.stringify(bodyOfStream(await c.res.text())))
  }
}

/**
 * Whether the caller wants a stream: by the member `stream`, else by an `Accept` header with events and without JSON.
 * The gate has read and validated the body.
 */
export async function wantsStream(c: Pick<Context, 'req'>): Promise<boolean> {
  const { stream } = await c.req.json<{ readonly stream?: boolean }>()
  const accepted = c.req.header('accept') ?? ''
  return stream ?? (accepted.includes(EVENT_STREAM) && !accepted.includes('application/json'))
}

/** Replaces the body, keeping the headers. */
export function replace(c: Context, type: string, body: string | ReadableStream<Uint8Array>): void {
  const headers = new Headers(c.res.headers)
  headers.set('content-type', type)
  // Its length and tag are those of the other form.
  for (const name of ['content-length', 'etag']) headers.delete(name)
  // Hono copies the headers of the response that is replaced.
  c.res = undefined
  c.res = new Response(body, { headers })
}
