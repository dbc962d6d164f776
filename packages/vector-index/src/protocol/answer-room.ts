import { jsonText } from '../exact-json.ts'
import { LIMITS } from '../limits.ts'
import type { AnsweredRow } from './answered-row.ts'
import { invalid } from '../protocol-error.ts'

/** Estimated bytes per number of a vector, with comma. */
const NUMBER = 12
/** Estimated bytes per row for names and brackets. */
const FRAME = 120

const ENCODER = new TextEncoder()

/**
 * Remaining size of an answer. An answer is built in the memory of one Durable Object, with several copies, and a
 * thousand rows may have a megabyte of text each.
 */
export class AnswerRoom {
  #left: number = LIMITS.answerBytes

  /** Whether a row fits. */
  has(row: AnsweredRow): boolean {
    return bytesOf(row) <= this.#left
  }

  /**
   * Adds a row.
   *
   * @throws `ProtocolError` 422 if it does not fit
   */
  take(row: AnsweredRow): AnsweredRow {
    this.#left -= bytesOf(row)
    if (this.#left >= 0) return row
    throw invalid(`The answer is larger than ${LIMITS.answerBytes} bytes: ask for fewer rows, or for less of them`)
  }
}

/** Approximate size of a row as JSON; vectors are estimated, because formatting their numbers is slow. */
function bytesOf({ vector = [], sparseVector, ...others }: AnsweredRow): number {
  return (
    FRAME + NUMBER * (vector.length + 2 * (sparseVector?.indices.length ?? 0)) + ENCODER.encode(jsonText(others)).length
  )
}
