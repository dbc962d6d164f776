import { jsonText } from '../exact-json.ts'
import { LIMITS } from '../limits.ts'
import type { AnsweredRow } from './answered-row.ts'
import { ProtocolError } from '../protocol-error.ts'

/** Bytes of a component of an ordinary vector and its comma. */
const FLOAT = 12
const INDEX = 12
/** Names and brackets of a row. */
const FRAME = 120

/**
 * How much one answer may still hold. An answer is put together in the memory of one Durable Object, several times over
 * before it is sent, and a thousand rows may have a megabyte of text each.
 */
export class AnswerRoom {
  #left: number = LIMITS.answerBytes

  /** Whether a row fits in. */
  has(row: Partial<AnsweredRow>): boolean {
    return bytesOf(row) <= this.#left
  }

  /**
   * Takes a row in.
   *
   * @throws `ProtocolError` 422 when it does not fit in
   */
  take<Row extends Partial<AnsweredRow>>(row: Row): Row {
    this.#left -= bytesOf(row)
    if (this.#left >= 0) return row
    throw new ProtocolError(
      422,
      `The answer is larger than ${LIMITS.answerBytes} bytes: ask for fewer rows, or for less of them`,
    )
  }
}

/** What a row takes as JSON, about. */
function bytesOf({ id, vector, sparseVector, metadata, data }: Partial<AnsweredRow>): number {
  return (
    FRAME +
    jsonBytes(id) +
    FLOAT * (vector?.length ?? 0) +
    (FLOAT + INDEX) * (sparseVector?.indices.length ?? 0) +
    jsonBytes(metadata) +
    jsonBytes(data)
  )
}

function jsonBytes(value: unknown): number {
  if (value === undefined) return 0
  const json = jsonText(value)
  let bytes = json.length
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    // Half of a pair takes two of the four bytes that the pair does.
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2
  }
  return bytes
}
