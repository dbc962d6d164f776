/** What stands beside a question and names who asks, or which case it is about: numbers, codes and a signature. It asks nothing. */
import { isAsking } from './word-lists.ts'

/** A number or a code: it has a digit, and is no longer than an order number. */
const CODE = /^#?(?=[\w./+-]*\d)[\w./+-]{1,24}$/
/** What such a code is called. */
const LABEL = /^(?:my|our|the|is|and|order|ticket|case|ref|reference|id|no|nr|number|invoice|phone|customer|account)$/i
/** More of them could spell something out. */
const MOST_CODES = 3
const MOST_LABELS = 4
/** Behind it a name is a signature. */
const SIGNED =
  /^(?:(?:(?:kind|best|warm|many) )?(?:regards|wishes|thanks|cheers)|thank you|best|sincerely|yours(?: \w+ly)?)\W*/i
const NAME = /^\p{Lu}[\p{L}'’.-]*$/u
const MOST_NAMES = 3
/** A code in brackets before a question. */
const IN_BRACKETS = /^\W*\[([^[\]]{1,40})\]\s*/

/** Whether a sentence is but a code or two and what they are called, or a signature. One that asks is neither. */
export function namesOnly(sentence: string): boolean {
  const said = sentence.split(/[\s,;:()[\]!]+/).flatMap((word) => word.replace(/\.+$/, '') || [])
  const others = said.filter((word) => !CODE.test(word))
  const codes = said.length - others.length
  if (codes === 0) return isSignature(sentence)
  return codes <= MOST_CODES && others.length <= MOST_LABELS && others.every((word) => LABEL.test(word))
}

/** A sentence without the code in brackets before it. */
export function withoutCode(sentence: string): string {
  return sentence.replace(IN_BRACKETS, (all, inner: string) => (namesOnly(inner) ? '' : all))
}

function isSignature(sentence: string): boolean {
  const signed = SIGNED.exec(sentence)
  if (signed === null) return false
  const names = sentence
    .slice(signed[0].length)
    .replace(/[\s.!,]+$/, '')
    .split(/\s+/)
  return names.length <= MOST_NAMES && names.every((word) => NAME.test(word) && !isAsking(word))
}
