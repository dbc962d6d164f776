/** The one form of a question. */
import { isAscii } from './ascii.ts'

/**
 * A question as it is searched, keyed, judged and given to the model: one form for all four, so that nothing reaches the
 * model that the gate did not read. Compatibility forms are folded (NFKC: circled, squared, fullwidth and mathematical
 * letters, ligatures); characters that take no room and tag characters are taken out; white space runs become one
 * space, ends are trimmed. Letter case stays.
 *
 * A joiner stays where scripts write with it (Arabic, Indic and their relatives) and between pictographs.
 */
export function normaliseQuestion(question: string): string {
  return (isAscii(question) ? question : folded(question)).replaceAll(/\s+/gu, ' ').trim()
}

function folded(question: string): string {
  const spelled = question.replaceAll(RAISED, '^$&').replaceAll(FRACTION, ' $&').replaceAll(IGNORABLE, '')
  return spelled.normalize('NFKC').replaceAll(TAKEN_OUT, '').normalize('NFKC')
}

/** Raised digits after a digit are a power: folded alone, `10²` would read 102. */
const RAISED = /(?<=\p{Nd})[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+/gu

/** A fraction after a digit is added to it: folded alone, `5½` would read 51⁄2. */
const FRACTION = /(?<=\p{Nd})[\u00bc-\u00be\u2150-\u215f\u2189]/gu

/** Invisible characters, but for the two joiners: what those join is known only once the rest is gone. */
const IGNORABLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu

/** From Arabic, Syriac and Indic scripts to Khmer, Mongolian and Lepcha; Phags-pa to Meetei; Chakma. */
const OF_JOINED_SCRIPT = '[[\\u0600-\\u1c4f\\ua840-\\uabff\\u{11100}-\\u{1114f}]&&[\\p{L}\\p{M}]]'
const BETWEEN_LETTERS = `(?<=${OF_JOINED_SCRIPT})[\\u200c\\u200d](?=${OF_JOINED_SCRIPT})`
const BETWEEN_PICTOGRAPHS = `(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])\\u200d(?=\\p{Extended_Pictographic})`
/** Joiners that join nothing, and the rings and squares that are laid around a letter. */
const TAKEN_OUT = new RegExp(`(?!${BETWEEN_LETTERS}|${BETWEEN_PICTOGRAPHS})[\\u200c\\u200d]|\\p{Me}`, 'gv')
