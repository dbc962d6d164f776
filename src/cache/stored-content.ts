/** Response content of a stored answer: body, status and headers; a stream is replayed as a stream. */
import { mediaTypeOf } from '../http/media-type.ts'
import type { FoundAnswer, StoredContent } from '../pipeline/gate-cache.ts'
import type { StoredAnswer } from '../ports/answer-cache.ts'
import { entityTag, isConditional, namesTag } from './entity-tag.ts'
import { replayedStream } from './event-stream.ts'

/** @param received the original request */
export function storedContent(received: Request, found: FoundAnswer): StoredContent | Promise<StoredContent> {
  const { answer, body: live } = found
  const { status } = answer
  const headers = Object.fromEntries(answer.headers)
  if (live !== undefined) return { body: live, status, headers }
  // Conditions apply to successful responses only. @see RFC 9110, section 13.2.1
  if (isConditional(received.method) && status < 300) return conditionalContent(received, answer, headers)
  return wholeContent(answer, headers)
}

async function conditionalContent(
  received: Request,
  answer: StoredAnswer,
  headers: Record<string, string>,
): Promise<StoredContent> {
  const tag = (headers['etag'] ??= await entityTag(answer.body))
  const condition = received.headers.get('if-none-match')
  if (condition === null || !namesTag(condition, tag)) return wholeContent(answer, headers)
  const { 'content-type': _type, 'content-language': _language, ...kept } = headers
  return { body: null, status: 304, headers: kept }
}

/** The whole body; a stream is replayed. Only a redirect is empty, where a text would set a content type. */
function wholeContent({ body, status }: StoredAnswer, headers: Readonly<Record<string, string>>): StoredContent {
  const isStream = mediaTypeOf(headers['content-type']) === 'events'
  return { body: isStream ? replayedStream(body) : body || null, status, headers }
}
