/** Parses request bodies. */
import { parseJson } from '../exact-json.ts'
import { ProtocolError } from '../protocol-error.ts'

/** Maximum size of a request body, bytes: many times that of a thousand typical passages. */
const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Up to this size, a body that is too large is read and discarded, so that the sender gets the response. */
const MAX_DRAINED_BYTES = 256 * 1024 * 1024

/**
 * Reads a body, decoding it as it arrives, because its bytes take memory that a full namespace needs. Up to a limit, one
 * that is too large or no text is read completely and discarded: a client that is still sending when the response comes
 * would see a broken connection instead.
 *
 * @throws `ProtocolError` 413 for one that is too large, 400 for invalid UTF-8
 */
export async function readBody(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let text: string | undefined = ''
  const decode = (piece?: Uint8Array): void => {
    try {
      if (text !== undefined) text += decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      text = undefined
    }
  }
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > MAX_DRAINED_BYTES) break
    if (length > MAX_BODY_BYTES) text = undefined
    decode(piece)
  }
  if (length > MAX_BODY_BYTES) throw new ProtocolError(413, `The body is larger than ${MAX_BODY_BYTES} bytes`)
  decode()
  if (text === undefined) throw notJson()
  return text
}

/**
 * Parses a body.
 *
 * For `delete` the Go client sends a single id without quotes, so there a value that is neither an object nor a list is
 * an id, with or without quotes.
 *
 * @returns `undefined` for an empty body
 * @throws `ProtocolError` 400 for invalid JSON
 */
export function parseBody(command: string, text: string): unknown {
  if (text === '') return undefined
  try {
    const body = parseJson(text)
    const isId = command === 'delete' && (typeof body !== 'object' || body === null) && typeof body !== 'string'
    return isId ? text : body
  } catch {
    if (command === 'delete') return text
    throw notJson()
  }
}

/** The error for a body that is not JSON or not UTF-8. */
function notJson(): ProtocolError {
  return new ProtocolError(400, 'The body is not valid JSON')
}
