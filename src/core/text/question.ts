/** Validation of questions, from every source. */
import { RagGateError } from '../../errors.ts'
import { isAscii } from './ascii.ts'
import { normaliseQuestion } from './normalise.ts'

const LONE_SURROGATE = /\p{Surrogate}/u
// Without tab, line feed and carriage return, which are white space.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
/**
 * Hidden text: tag characters, except those that end a flag, and two variation selectors in a row (single ones occur in East
 * Asian names). People do not type these; they hide text from readers. Also more than thirty marks on one letter, even with
 * invisible characters between them, since sorting marks takes quadratic time.
 * @see https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
const HIDDEN =
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,5})[\u{e0001}\u{e0020}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}|[\p{M}\p{DI}\uff9e\uff9f]{31}/u

/** Words of visible ASCII separated by single spaces: such a question is already normalised. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/**
 * Checks and normalises a question (`normaliseQuestion`). Ill-formed Unicode is rejected, because two such texts would share
 * an answer key. A text of invisible characters counts as empty; one that hides letters in them is rejected.
 *
 * @param name name of the question in error messages
 * @throws `invalid_unicode`, `control_character`, `question_required`
 */
export function requireQuestion(text: string, name = 'question'): string {
  if (PLAIN.test(text)) return text
  const facts = { param: name }
  const foreign = !isAscii(text)
  if (foreign && LONE_SURROGATE.test(text)) {
    throw new RagGateError('invalid_unicode', 'The question is not well-formed Unicode', facts)
  }
  if (CONTROL.test(text)) throw new RagGateError('control_character', 'The question holds control characters', facts)
  if (foreign && HIDDEN.test(text))
    throw new RagGateError('control_character', 'The question holds invisible text', facts)
  const question = normaliseQuestion(text)
  if (question === '') throw new RagGateError('question_required', 'The question is empty', facts)
  return question
}
