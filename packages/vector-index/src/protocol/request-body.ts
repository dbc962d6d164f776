/** Parses request bodies. */
import { parseJson } from '../exact-json.ts'
import { ProtocolError } from '../protocol-error.ts'

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
export function notJson(): ProtocolError {
  return new ProtocolError(400, 'The body is not valid JSON')
}
