/** The one form of a question. */

/**
 * A question as it is searched, keyed and judged: NFC, white space runs folded to one space, ends trimmed. Letter case
 * and compatibility characters stay (`①` is not `1`).
 */
export function normaliseQuestion(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim()
}
