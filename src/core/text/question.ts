/** What a question may be, from every source. */
import { RagGateError } from '../../errors.ts'
import { isAscii } from './ascii.ts'
import { normaliseQuestion } from './normalise.ts'

const LONE_SURROGATE = /\p{Surrogate}/u
// Tab, line feed and carriage return are white space like any other.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/
/**
 * Invisible letters: tag characters but for those that end a flag, and two selectors of glyph variants in a row.
 * They are not typed; they are a way to hide text from readers. Selectors alone stand in East Asian names. Nor are more than
 * thirty marks on one letter, which take time by the square of their number to be brought in order: also once what is
 * invisible between them was taken out.
 * @see https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format
 */
const HIDDEN =
  /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,5})[\u{e0001}\u{e0020}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2}|[\p{M}\p{DI}]{31}/u

/** Words of visible ASCII with a space between them: such a question is what it is, whatever is done to it. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/**
 * A question as it is searched, keyed and judged (`normaliseQuestion`), or an error that says why it cannot be one. Two
 * ill-formed texts would share an answer key, so there is none for them. A text of invisible characters is empty;
 * one that hides letters in them is refused, for they are a sign of hidden text.
 *
 * @param name what the caller knows it by
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
