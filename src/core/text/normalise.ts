/** The one form of a question. */
import { isAscii } from './ascii.ts'

/**
 * A question as it is searched, keyed, judged and given to the model: one form for all four, so that nothing reaches the
 * model that the gate did not read. Compatibility forms are folded (NFKC: circled, squared, fullwidth and mathematical
 * letters, ligatures), regional indicators and negative letters and digits with them; characters that take no room and
 * tag characters are taken out; white space runs become one space, ends are trimmed. Letter case stays.
 *
 * A joiner stays where scripts write with it (Arabic, Indic and their relatives) and between pictographs.
 */
export function normaliseQuestion(question: string): string {
  return (isAscii(question) ? question : folded(question)).replaceAll(/\s+/gu, ' ').trim()
}

function folded(question: string): string {
  const spelled = question.replaceAll(RAISED, '^$&').replaceAll(FRACTION, ' $&').replaceAll(IGNORABLE, '')
  return spelled.normalize('NFKC').replaceAll(ENCLOSED, plain).replaceAll(TAKEN_OUT, '').normalize('NFKC')
}

/** Raised digits after a digit are a power: folded alone, `10²` would read 102. */
const RAISED = /(?<=\p{Nd})[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]+/gu

/** A fraction after a digit is added to it: folded alone, `5½` would read 51⁄2. */
const FRACTION = /(?<=\p{Nd})[\u00bc-\u00be\u2150-\u215f\u2189]/gu

/** Invisible characters, but for the two joiners: what those join is known only once the rest is gone. */
const IGNORABLE = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu

/**
 * Arabic, Syriac, N'Ko, Mandaic, Indic scripts; Tibetan, Burmese; Khmer and Mongolian to Lepcha; Phags-pa to Javanese;
 * Meetei; Chakma.
 */
const JOINED_SCRIPTS =
  '\\u0600-\\u0dff\\u0f00-\\u109f\\u1780-\\u1c4f\\ua840-\\ua9ff\\uaae0-\\uaaff\\uabc0-\\uabff\\u{11100}-\\u{1114f}'
const OF_JOINED_SCRIPT = `[[${JOINED_SCRIPTS}]&&[\\p{L}\\p{M}]]`
const BETWEEN_LETTERS = `(?<=${OF_JOINED_SCRIPT})[\\u200c\\u200d](?=${OF_JOINED_SCRIPT})`
const BETWEEN_PICTOGRAPHS = `(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])\\u200d(?=\\p{Extended_Pictographic})`
/** Joiners that join nothing, and the rings and squares that are laid around a letter. */
const TAKEN_OUT = new RegExp(`(?!${BETWEEN_LETTERS}|${BETWEEN_PICTOGRAPHS})[\\u200c\\u200d]|\\p{Me}`, 'gv')

/** Letters and digits in rings and squares that Unicode gives no plain form. */
const ENCLOSED = /[\u24eb-\u24ff\u2776-\u2793\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu

/** Where each row of them begins, the last first, and what with: the letter A, or a number. */
const ENCLOSED_ROWS: readonly (readonly [first: number, from?: number])[] = [
  [0x1f1e6],
  [0x1f170],
  [0x1f150],
  [0x278a, 1],
  [0x2780, 1],
  [0x2776, 1],
  [0x24ff, 0],
  [0x24f5, 1],
  [0x24eb, 11],
]

function plain(enclosed: string): string {
  const code = enclosed.codePointAt(0)!
  // What is replaced lies within a row.
  const [first, from] = ENCLOSED_ROWS.find(([begin]) => code >= begin)!
  return from === undefined ? String.fromCharCode(0x41 + code - first) : String(from + code - first)
}
