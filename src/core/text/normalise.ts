/** Normalisation of questions. */
import { isAscii } from './ascii.ts'

/**
 * Normalises a question. The same form is searched, used in keys, judged and given to the model, so that nothing reaches the model
 * that the gate did not read. Compatibility forms are folded (NFKC: circled, squared, fullwidth and mathematical letters,
 * ligatures); zero-width and tag characters are removed; runs of white space become one space or, between paragraphs and
 * lines, an empty line; the ends are trimmed. Lines wrapped at a width are joined: with the next word, such a line fills four
 * fifths of the longest, or of 50 characters. Joiners are kept in scripts that need them (Arabic, Indic, related ones) and
 * between pictographs.
 */
export function normaliseQuestion(question: string): string {
  const lines = (isAscii(question) ? question : folded(question)).split('\n')
  const width = lines.reduce((most, { length }) => Math.max(most, length), 50) * 0.8
  return lines
    .map((line, at) => {
      const next = lines[at + 1]?.trim().search(/ |$/)
      return line + (next && line.length + next >= width ? ' ' : '\n')
    })
    .join('')
    .replaceAll(/\s+/gu, (run) => (run.includes('\n') ? '\n\n' : ' '))
    .trim()
}

function folded(question: string): string {
  const spelled = question.replaceAll(RAISED, '^$&').replaceAll(FRACTION, ' $&').replaceAll(IGNORABLE, '')
  return spelled.normalize('NFKC').replaceAll(TAKEN_OUT, '').normalize('NFKC')
}

/** Superscript digits after a digit: NFKC would turn `10²` into 102. */
const RAISED = /(?<=\p{Nd})[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+/gu

/** A fraction character after a digit: NFKC would turn `5½` into 51⁄2. */
const FRACTION = /(?<=\p{Nd})[\u00bc-\u00be\u2150-\u215f\u2189]/gu

/** Invisible characters except the two joiners, whose neighbours are known only after the others are removed. */
const IGNORABLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu

/** From Arabic, Syriac and Indic scripts to Khmer, Mongolian and Lepcha; Phags-pa to Meetei; Chakma. */
const OF_JOINED_SCRIPT = '[[\\u0600-\\u1c4f\\ua840-\\uabff\\u{11100}-\\u{1114f}]&&[\\p{L}\\p{M}]]'
const BETWEEN_LETTERS = `(?<=${OF_JOINED_SCRIPT})[\\u200c\\u200d](?=${OF_JOINED_SCRIPT})`
const BETWEEN_PICTOGRAPHS = `(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])\\u200d(?=\\p{Extended_Pictographic})`
/** Joiners that join nothing, and enclosing marks, such as circles around a letter. */
const TAKEN_OUT = new RegExp(`(?!${BETWEEN_LETTERS}|${BETWEEN_PICTOGRAPHS})[\\u200c\\u200d]|\\p{Me}`, 'gv')
