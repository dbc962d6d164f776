/** What stands beside a question and names who asks, or which case it is about: numbers, codes, addresses and names. It asks nothing. */
import { words } from '../../core/text/words.ts'
import { isStopWord } from './stop-words.ts'
import { isAsking } from './word-lists.ts'

/** Two words of three letters and up: they could spell something out. */
const NO_TWO_WORDS = '(?!.*[a-z]{3}[^a-z].*[a-z]{3})'
/**
 * A number or a code has a digit, and is no longer than an order number where it is not hexadecimal. An address has a host of
 * two to four words (`www` aside), and behind that at most one.
 */
const CODE = new RegExp(
  `^(?=.{1,64}$)(?:(?=.*\\p{Nd})(?:[\\da-f-]+|${NO_TWO_WORDS}[\\w\\p{Nd}./+#=-]{1,24})|` +
    `(?:\\w+://|www\\.|(?:\\w+[.+-]?){1,3}@)\\w+(?:[.-]\\w+){1,3}(?:[/?#]${NO_TWO_WORDS}[!-$&-~]*)?)$`,
  'iu',
)
/** What such a code is called. */
const LABEL =
  /^(?:my|our|the|is|and|see|order|ticket|case|ref|reference|id|no|nr|number|invoice|phone|customer|account|request|e?-?mail|link)$/i
/** More of them could spell something out; of names and codes in all of a question. */
const MOST = 4
/** Behind it a name says who asks. */
const SIGNED =
  /^(?:(?:(?:kind|best|warm|many) )?(?:regards|wishes|thanks|cheers)|thank you|best|sincerely|yours(?: \w+ly)?|i(?: a|['’])m|my name is|this is)\b\W*/i
const NAME = /^(?:(?:\p{Lu}[\p{Ll}'’.-]*){1,3}|\p{Lu}+)$/u

/**
 * Whether a sentence is but a code or two and what they are called, or says who asks. One that asks is neither.
 *
 * @param known names and codes of the sentences before: those of this one are added, whether they ask or not
 */
export function namesOnly(sentence: string, known: Set<string>): boolean {
  const said = sentence
    .replace(SIGNED, '')
    .split(/(?:[\s,;()<>[\]!]|:(?!\/\/))+/)
    .flatMap((word) => word.replace(/(?<!\.)\.+$/, '') || [])
  const isSigned = SIGNED.test(sentence)
  const names = said.filter((word) => !LABEL.test(word))
  if (said.length - names.length > MOST || !names.every((word) => CODE.test(word) || (isSigned && NAME.test(word))))
    return false
  for (const name of names) known.add(name)
  return known.size <= MOST && !names.some(asks)
}

/** Whether a word within it asks, or stands in sentences. */
function asks(word: string): boolean {
  return words(word.replaceAll(/\p{Nd}/gu, ' ')).some((part) => part.length > 2 && (isAsking(part) || isStopWord(part)))
}
