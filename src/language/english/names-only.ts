/** Recognises text beside a question that only identifies the asker or the case: numbers, codes, addresses and names. */
import { words } from '../../core/text/words.ts'
import { isStopWord } from './stop-words.ts'
import { COURTESY, isAsking } from './word-lists.ts'

/** Excludes two words of at least three letters, which could contain a message. */
const NO_TWO_WORDS = '(?!.*[a-z]{3}[^a-z].*[a-z]{3})'
/**
 * A number or code contains a digit and, unless it is hexadecimal, is no longer than an order number and has at most eight
 * letters; longer ones may be text in Base64, and hexadecimal pairs from 2 to 7 are ASCII. An address, "@name" or file name has
 * at most four words (not counting a protocol, `www` and what precedes `@`), followed by at most one word. "Vue.js" and "ASP.NET"
 * are topics.
 */
const CODE = new RegExp(
  `^(?=.{1,64}$)(?:(?=.*\\p{Nd})(?:(?!(?:[2-7].-?){8})[\\da-f-]{1,40}|(?!(?:.*[a-z]){9})${NO_TWO_WORDS}[\\w\\p{Nd}./+#=-]{1,24}(?<!=))|` +
    `(?:\\w+://|www\\.|(?:\\w+[.+-]?){1,3}@|@(?=\\w{2,9}$)|(?=\\w+\\.(?!js|net)\\w{2,4}$))\\w{1,15}(?:[.-]\\w{1,15}){0,3}(?:[/?#]${NO_TWO_WORDS}[!-$&-~]*)?)$`,
  'iu',
)
/** Words that label such a code. */
const LABEL =
  /^(?:my|our|the|is|and|from|here|see|order|ticket|case|ref|reference|id|no|nr|number|invoice|phone|customer|account|request|e?-?mail|link|tel|contact|version|placed|attached)$/i
/** Most labels in a sentence, and most names and codes in a question: more could contain a message. */
const MOST = 4
/** After this, a name identifies the asker. */
const SIGNED = new RegExp(
  `^(?:[~/–—-] ?|(?:love|\\w+ly),|(?=\\S+ here)|(?:${COURTESY}|best|yours(?: \\w+ly)?|i(?: a|['’])m|my name is|this is)\\b)[^\\p{L}\\d]*`,
  'iu',
)
const NAME = /^(?:(?:\p{Lu}[\p{Ll}'’.-]*){1,3}|\p{Lu}+)$/u

/**
 * Whether a sentence consists only of a few codes and their labels, or only says who asks, and asks nothing.
 * @param known names and codes of the previous sentences; those of this sentence are added, even if one of them asks
 * @param afterTalk whether it follows small talk behind a question, where a name signs
 */
export function namesOnly(sentence: string, known: Set<string>, afterTalk = false): boolean {
  const said = sentence
    .replace(SIGNED, '')
    .split(/ on (?=\d)|[\s,;()<>[\]!]|:(?!\/\/)|\.(?!\w)/)
    .filter((word) => word)
  const isSigned = afterTalk || SIGNED.test(sentence)
  const names = said.filter((word) => !LABEL.test(word))
  if (said.length - names.length > MOST || !names.every((word) => CODE.test(word) || (isSigned && NAME.test(word))))
    return false
  for (const name of names) known.add(name)
  return known.size <= MOST && !names.some(asks)
}

/** Whether it contains a word of at least three letters that asks or is a stop word. */
function asks(word: string): boolean {
  return words(word.replaceAll(/\p{Nd}/gu, ' ')).some((part) => part.length > 2 && (isAsking(part) || isStopWord(part)))
}
