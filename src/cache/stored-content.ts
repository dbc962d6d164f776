/** A stored answer as it is sent: with its status and headers, as a stream where it was one. */
import { mediaTypeOf } from '../http/media-type.ts'
import type { FoundAnswer, StoredContent } from '../pipeline/gate-cache.ts'
import { entityTag, isConditional, namesTag } from './entity-tag.ts'
import { replayedStream } from './event-stream.ts'

/** @param received the request as it came */
export async function storedContent(
  received: Request,
  { answer: { body, status, headers }, body: live }: FoundAnswer,
): Promise<StoredContent> {
  const sent = Object.fromEntries(headers)
  if (live !== undefined) return { body: live, status, headers: sent }
  // Conditions apply to successful answers alone. @see RFC 9110, section 13.2.1
  if (isConditional(received.method) && status < 300) {
    const tag = (sent['etag'] ??= await entityTag(body))
    const condition = received.headers.get('if-none-match')
    if (condition !== null && namesTag(condition, tag)) {
      const { 'content-type': _type, 'content-language': _language, ...kept } = sent
      return { body: null, status: 304, headers: kept }
    }
  }
  // A stream is sent as a stream again. Only a redirect is empty: a text would give it a type.
  return {
    body: mediaTypeOf(sent['content-type']) === 'events' ? replayedStream(body) : body || null,
    status,
    headers: sent,
  }
}
