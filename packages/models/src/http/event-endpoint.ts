/** An upstream that takes JSON by POST and answers with server-sent events or with JSON. */
import {
  badResponse,
  type Deadline,
  errorOfFault,
  errorOfStatus,
  type PreparedEndpoint,
  UpstreamFault,
  type UpstreamName,
} from '@hono-rag-gate/upstream/http'
import { createEventSplitter, mediaTypeOf, readEvent, utf8TextOf } from 'hono-rag-gate/http'
import { streamedFetch } from './streamed-fetch.ts'

/** An event's name, empty if absent, and its data. */
export type ServerSentEvent = ReturnType<typeof readEvent>

/**
 * Sends a body, and yields events with data as they arrive, those from one read together. A JSON response is yielded as
 * one event followed by `[DONE]`. If the consumer stops early, the response is cancelled.
 *
 * @param deadline applies until the caller stops it
 * @throws errors that begin with the upstream's role: `…_timeout`, `…_unavailable`, `…_misconfigured`, `…_bad_request`,
 *   `…_bad_response`
 */
export type EventEndpoint = (
  body: unknown,
  deadline: Deadline,
) => AsyncGenerator<readonly ServerSentEvent[], void, void>

/** Makes a reader of an endpoint's events. */
export function eventEndpoint(name: UpstreamName, { url, post, bounds, exchange }: PreparedEndpoint): EventEndpoint {
  return async function* eventEndpoint(body, deadline) {
    const { fetch, maxResponseBytes } = bounds
    const attempt = () => streamedFetch(url, post(body), { fetch, maxResponseBytes, deadline })
    try {
      const { status, headers, read, cancel } = await exchange(attempt, deadline.signal)
      if (status !== 200) throw errorOfStatus(name, status)
      try {
        const media = mediaTypeOf(headers.get('content-type'))
        if (media === 'json') {
          return yield [eventOf(await wholeText(read)), eventOf('[DONE]')]
        }
        if (media !== 'events') throw badResponse(name, 'no stream')
        const eventsIn = createEventSplitter()
        for (let piece = await read(); piece !== undefined; piece = await read()) {
          const came = eventsIn(piece)
            .map(readEvent)
            .filter(({ data }) => data !== '')
          if (came.length > 0) yield came
        }
      } finally {
        cancel()
      }
    } catch (thrown) {
      throw errorOfFault(name, thrown)
    }
  }
}

const eventOf = (data: string): ServerSentEvent => ({ name: '', data })

/** As strict as for responses that are not streamed: text with replacement characters is no answer. */
async function wholeText(read: () => Promise<Uint8Array<ArrayBuffer> | undefined>): Promise<string> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let piece = await read(); piece !== undefined; piece = await read()) pieces.push(piece)
  const text = utf8TextOf(await new Blob(pieces).arrayBuffer())
  if (text === undefined) throw new UpstreamFault('not-utf8')
  return text
}
