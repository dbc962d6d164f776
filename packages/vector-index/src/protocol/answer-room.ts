import { jsonText } from '../exact-json.ts'
import { LIMITS } from '../limits.ts'
import type { AnsweredRow } from './answered-row.ts'
import { invalid } from '../protocol-error.ts'

/** Bytes of a number of a vector and its comma. */
const NUMBER = 12
/** Names and brackets of a row. */
const FRAME = 120

const ENCODER = new TextEncoder()

/**
 * How much one answer may still hold. An answer is put together in the memory of one Durable Object, several times over
 * before it is sent, and a thousand rows may have a megabyte of text each.
 */
export class AnswerRoom {
  #left: number = LIMITS.answerBytes

  /** Whether a row fits in. */
  has(row: AnsweredRow): boolean {
    return bytesOf(row) <= this.#left
  }

  /**
   * Takes a row in.
   *
   * @throws `ProtocolError` 422 when it does not fit in
   */
  take(row: AnsweredRow): AnsweredRow {
    this.#left -= bytesOf(row)
    if (this.#left >= 0) return row
    throw invalid(`The answer is larger than ${LIMITS.answerBytes} bytes: ask for fewer rows, or for less of them`)
  }
}

/** What a row takes as JSON, about: to print the numbers of vectors takes long, so they are counted. */
function bytesOf({ vector = [], sparseVector, ...others }: AnsweredRow): number {
  return (
    FRAME + NUMBER * (vector.length + 2 * (sparseVector?.indices.length ?? 0)) + ENCODER.encode(jsonText(others)).length
  )
}
