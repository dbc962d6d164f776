/** Bodies as they come over HTTP. */
import { parseJson } from '../exact-json.ts'
import { ProtocolError } from '../protocol-error.ts'

/**
 * Reads a body.
 *
 * To `delete` the Go client sends a single id as it is, without quotes: a value that is no object and no list is an id there,
 * in quotes or not.
 *
 * @returns `undefined` for an empty body
 * @throws `ProtocolError` 400 for what is no JSON
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

/** The error of a body that is no JSON, or no UTF-8. */
export function notJson(): ProtocolError {
  return new ProtocolError(400, 'The body is not valid JSON')
}
