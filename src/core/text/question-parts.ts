/** What a question asks, and its parts: what of it must be supported by itself. */
import { sentences } from './sentences.ts'
import { terms } from './terms.ts'
import { words } from './words.ts'

/** A question taken apart. */
export interface AskedParts {
  /** The question without greetings, thanks and talk about the asking; the question itself where nothing is left. */
  readonly asked: string
  /** Its sentences and clauses, in order; 1 to 8. One part is `asked` itself. */
  readonly parts: readonly string[]
}

const ASKING =
  'what|which|who|whom|whose|when|where|why|how|can|could|may|do|does|did|is|are|was|were|will|would|should|has|have'
const TELLING =
  'tell|explain|write|give|list|name|describe|summari[sz]e|translate|compare|show|recommend|suggest|compose|calculate|find'
/** Before a clause that asks. */
const ASKS_NEXT = `(?=(?:(?:also|then|finally|next|please)\\s+)?(?:${ASKING}|${TELLING})\\b)`
const CONJUNCTION = 'and|but|also|or|then|plus|as well as'
/** Between two clauses, the latter of which asks. */
const BETWEEN_CLAUSES = new RegExp(`,?\\s+(?:${CONJUNCTION}),?\\s+${ASKS_NEXT}|,\\s+${ASKS_NEXT}`, 'iu')
/** Ends a sentence whatever follows: a question asked, a line, a dash between spaces, a colon. */
const BETWEEN_SENTENCES = /(?<=[?!؟？！])\s*(?=[^\s?!؟？！)\]"'”’»])|[;:]\s|\s[-–—/|>*•·]+\s/u
/** A quotation or a bracket as long as a sentence is one. */
const ENCLOSED = /[("“„«[]([^()"“”„«»[\]]{40,})[)"”“»\]]/gu

/** A clause of fewer distinct terms leans on what stands before it; so does a sentence that refers to it. */
const LEAST_CLAUSE_TERMS = 2
const LEAST_REFERRING_TERMS = 3

/** What follows belongs to the last: all of a question is measured. */
const MOST_PARTS = 8

/** Words that stand for what was named before: a sentence with one of them leans on that. */
const REFERS = new Set(
  'it its itself they them their theirs this that these those one ones he him his she her'.split(' '),
)

/** Words of courtesy, and of talk about the asking itself. A sentence of them alone asks nothing. */
const COURTESY = new Set(
  terms(
    `hi hello hey dear good morning afternoon evening day thanks thank thankful many much lot everyone everybody team
    folks guys advance help helpful time assistance support please cheers greetings regards best kind sorry excuse sir
    madam appreciate appreciated grateful welcome nice hope find well wish great bye see
    question ask asking answer reply pointer hint advice advise idea clue guide guidance tell let know wonder wondering
    curious quick short maybe perhaps possible kindly sure confused lost stuck unsure understand
    read reading documentation docs manual page look looking search searching found find anywhere nowhere without luck
    try trying tried while long hours days weeks yesterday today week month far yet already new beginner newcomer like want need
    bother disturb trouble anyone somebody someone anybody everywhere figure make sense come across
    get got give given take could would might`,
  ),
)

/**
 * Takes a question apart into its sentences and clauses. A sentence of courtesy, or of talk about the asking, is none
 * ("Hi, thanks for your help."). A clause of one term, and a sentence of one or two that refers to what was named before
 * ("Who develops it?"), belong to the part before them, or after them where they come first.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function questionParts(question: string): AskedParts {
  const all = sentencesOf(question)
  const asking = all.filter((sentence) => !isCourtesy(sentence))
  const asked = asking.length === 0 || asking.length === all.length ? question : asking.join(' ')
  const parts: string[] = []
  let waiting = ''
  const add = (piece: string, leans: boolean): void => {
    const joined = waiting === '' ? piece : `${waiting} ${piece}`
    if (parts.length > 0 && (leans || parts.length === MOST_PARTS)) parts[parts.length - 1] += ` ${piece}`
    else if (leans) waiting = joined
    else {
      parts.push(joined)
      waiting = ''
    }
  }
  for (const sentence of asking) {
    const [first = '', ...others] = clausesOf(sentence)
    add(first, leansOnOthers(first))
    for (const clause of others) add(clause, false)
  }
  return { asked, parts: parts.length < 2 ? [asked] : parts }
}

function sentencesOf(question: string): string[] {
  return sentences(question.replaceAll(ENCLOSED, '; $1; '))
    .flatMap((sentence) => sentence.split(BETWEEN_SENTENCES))
    .map((sentence) => sentence.trim())
    .filter((sentence) => words(sentence).length > 0)
}

/** Short ones stay with the clause before them, or after them where they come first. */
function clausesOf(sentence: string): string[] {
  const clauses: string[] = []
  let from = 0
  const pieces = sentence.split(BETWEEN_CLAUSES)
  pieces.forEach((piece, at) => {
    const text = pieces.slice(from, at + 1).join(' ')
    const isLong = countTerms(piece) >= LEAST_CLAUSE_TERMS || (from < at && countTerms(text) >= LEAST_CLAUSE_TERMS)
    if (isLong || (at === pieces.length - 1 && clauses.length === 0)) {
      clauses.push(text)
      from = at + 1
    } else if (clauses.length > 0) {
      clauses[clauses.length - 1] += ` ${text}`
      from = at + 1
    }
  })
  return clauses
}

function leansOnOthers(sentence: string): boolean {
  const found = countTerms(sentence)
  return found === 0 || (found < LEAST_REFERRING_TERMS && words(sentence).some((word) => REFERS.has(word)))
}

function isCourtesy(sentence: string): boolean {
  return terms(sentence).every((term) => COURTESY.has(term))
}

function countTerms(text: string): number {
  return new Set(terms(text)).size
}
