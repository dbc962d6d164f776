/** What a question asks, and its parts: what of it must be supported by itself. English; other languages part at marks. */
import { isAscii } from './ascii.ts'
import { lowered, withoutCourtesies } from './courtesies.ts'
import { sentences } from './sentences.ts'
import { isSmallTalk, isTalkBeside } from './small-talk.ts'
import { terms } from './terms.ts'
import { words } from './words.ts'

/** A question taken apart. */
export interface QuestionParts {
  /** The question without greetings, thanks and talk about the asking; the question itself where nothing is left. */
  readonly bare: string
  /** Its sentences and clauses, in order; 1 to 16. One part is `bare` itself. */
  readonly parts: readonly string[]
}

/** Words that ask or tell to do, where a clause begins with them. */
const ASKING: ReadonlySet<string> = new Set(
  `what which who whom whose when where why how can could may might must do does did is are am was were will would shall
   should has have tell explain write give list name describe summarise summarize translate compare show recommend suggest
   compose calculate find help say`.split(/\s+/),
)
/** So do these soon behind who speaks: "and I would like to know …", "and my other question is …". */
const WISHING = /\b(?:want|need|wonder|wondering|would|wish|curious|interested|looking|question)\b/
const SPEAKERS: ReadonlySet<string> = new Set(['i', 'we', 'my', 'our'])
/** What may stand between two clauses, in lower case, and the word that the latter begins with. */
const MAY_PART_CLAUSES =
  /(?:,?\s+(?:and|but|also|or|then|plus|as well as),?|,)\s+(?=(?:(?:also|then|finally|next|please)\s+)?(\w+)((?:\s+\w+){0,3}))/g
const FIRST_WORD = /^\w*/
/** Ends a sentence whatever follows: a question asked, a line, a dash between spaces, a colon. */
const BETWEEN_SENTENCES =
  /(?<=[?!؟？！])\s+(?=[^\s?!؟？！)\]"'”’»])|(?<=[\p{L}\p{N})][?؟？！])(?=[\p{L}\p{N}])|[;:]\s|\s[-–—/|>*•·]+\s/u
/** The same of ASCII, as `isAscii` says why. */
const BETWEEN_ASCII_SENTENCES = new RegExp(BETWEEN_SENTENCES.source.replaceAll('\\p{L}\\p{N}', 'A-Za-z\\d'))
/** A quotation or a bracket as long as a sentence is one. */
const ENCLOSED = /[("“„«[]([^()"“”„«»[\]]{40,})[)"”“»\]]/gu
/** A question in brackets, of whatever length. */
const ASKED_IN_BRACKETS =
  /[([]\s*((?:(?:and|also|but|plus|then) (?:also )?(?:wh|how|can|could|do|is|are|should|tell|write|explain)|(?:wh|how)[^()[\]]*\?)[^()[\]]*)[)\]]/giu

/** A full stop that something else than a capital follows. */
const STOP = /\.["'”’)\]}»]*\s+(?=\S)/gu
/** A word is at most so long where it is shortened, and may have no vowel then. */
const SHORTENED_LENGTH = 5
const VOWEL = /[aeiouyAEIOUY\d\P{ASCII}]/u
/** Words that are shortened although they have a vowel. */
const SHORTENED: ReadonlySet<string> = new Set(
  `no nos prof inc co corp etc fig vol ed est gen col capt sen rep gov rev hon al ca min max op cit jan feb mar apr jun jul
   aug sep sept oct nov dec ave dept univ assoc`.split(/\s+/),
)

/** Where talk may end or begin within a sentence. */
const BEFORE_OR_AFTER_TALK = /,\s+(?:(?:but|so|and)\s+)?|\s+but\s+/giu
/** Talk has somebody in it, who speaks or who is spoken to. */
const ADDRESSES =
  /\b(?:i|im|me|my|we|us|our|you|your|this|sorry|apologies|thanks|thank|thx|please|hi|hello|hey|dear|excuse|pardon|anyone|someone|any)\b/iu
/** Talk within a sentence is looked for so far from either end, in characters. */
const TALK_REACH = 160

/** A sentence or clause of fewer distinct terms leans on what stands before it, where it refers to that. */
const LEAST_REFERRING_TERMS = 2

/** Of more parts the smallest neighbours are joined: all of a question is measured. */
const MOST_PARTS = 16
/** Neighbours shorter than this, in characters, are joined first. */
const SHORTEST_JOINED = 20

/** Words that stand for what was named before: a sentence with one of them leans on that. */
const REFERS = new Set(
  'it its itself they them their theirs this that these those one ones he him his she her'.split(' '),
)

/**
 * Takes a question apart into its sentences and clauses. What only surrounds the asking is none of them (`isSmallTalk`:
 * "Hi, thanks for your help."). A sentence or clause of one term that refers to what was named before ("Who develops it?")
 * belongs to the part before it, or after it where it comes first; so does one without a term.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function questionParts(question: string): QuestionParts {
  const asking = sentencesOf(question)
    .filter((sentence) => !isSmallTalk(sentence))
    .map((sentence) => withoutOpeningTalk(clausesOf(withoutCourtesies(sentence))).map(withoutCourtesies))
  const left = asking.flat().join(' ')
  // Where no term was left out, the question stays as it was written.
  const bare = left === '' || terms(left).length === terms(question).length ? question : left
  const parts: string[] = []
  let waiting = ''
  const add = (piece: string, leans: boolean): void => {
    const joined = `${waiting} ${piece}`.trim()
    if (leans && parts.length > 0) parts[parts.length - 1] += ` ${piece}`
    else if (leans) waiting = joined
    else {
      parts.push(joined)
      waiting = ''
    }
  }
  for (const [first = '', ...others] of asking) {
    add(first, leansOnOthers(first))
    for (const clause of others) add(clause, false)
  }
  return { bare, parts: parts.length < 2 ? [bare] : joinSmallest(parts) }
}

function withoutOpeningTalk([first = '', ...others]: readonly string[]): readonly string[] {
  return others.length > 0 && isSmallTalk(first) ? others : [first, ...others]
}

/** Long parts stay alone for as long as shorter ones can be joined. */
function joinSmallest(parts: readonly string[]): readonly string[] {
  let joined = parts
  for (let longest = SHORTEST_JOINED; joined.length > MOST_PARTS; longest *= 1.25) {
    joined = joined.reduce<string[]>((kept, part) => {
      const last = kept.at(-1)
      if (last === undefined || last.length >= longest || part.length >= longest) kept.push(part)
      else kept[kept.length - 1] = `${last} ${part}`
      return kept
    }, [])
  }
  return joined
}

function sentencesOf(question: string): string[] {
  return sentences(question.replaceAll(ENCLOSED, '; $1; ').replaceAll(ASKED_IN_BRACKETS, '; $1; '))
    .flatMap(sentencesInSmallLetters)
    .flatMap((sentence) => sentence.split(isAscii(sentence) ? BETWEEN_ASCII_SENTENCES : BETWEEN_SENTENCES))
    .map((sentence) => withoutTalk(sentence.trim()))
    .filter((sentence) => words(sentence).length > 0)
}

/** Questions are often typed in small letters throughout: a full stop ends a sentence there too, unless it shortens a word. */
function sentencesInSmallLetters(sentence: string): string[] {
  const found: string[] = []
  let start = 0
  for (const { 0: stop, index } of sentence.matchAll(STOP)) {
    const end = index + stop.length
    if (isShortened(sentence.slice(Math.max(start, index - SHORTENED_LENGTH - 1), index)) && !asks(sentence.slice(end)))
      continue
    found.push(sentence.slice(start, end))
    start = end
  }
  return [...found, sentence.slice(start)]
}

/** @param before what stands before a full stop, at least as far as a shortened word is long */
function isShortened(before: string): boolean {
  const word = /[\p{L}\p{N}.]*$/u.exec(before)?.[0] ?? ''
  if (word === '' || word.length > SHORTENED_LENGTH) return false
  return /^\p{L}$/u.test(word) || word.includes('.') || SHORTENED.has(word.toLowerCase()) || !VOWEL.test(word)
}

/** Cuts off what is only said at either end of a sentence: "Sorry if this is a basic question, but …". */
function withoutTalk(sentence: string): string {
  const cuts = [...sentence.matchAll(BEFORE_OR_AFTER_TALK)]
  const isTalk = (text: string): boolean => text.length <= TALK_REACH && ADDRESSES.test(text) && isTalkBeside(text)
  const head = cuts.filter(({ index }) => index <= TALK_REACH && isTalk(sentence.slice(0, index))).at(-1)
  const start = head === undefined ? 0 : head.index + head[0].length
  const tail = cuts.find(({ 0: cut, index }) => index >= start && isTalk(sentence.slice(index + cut.length)))
  return sentence.slice(start, tail?.index)
}

/** Parts a sentence wherever a clause that asks begins. */
function partClauses(sentence: string): string[] {
  const lower = lowered(sentence)
  const pieces: string[] = []
  let start = 0
  MAY_PART_CLAUSES.lastIndex = 0
  for (let found; (found = MAY_PART_CLAUSES.exec(lower)) !== null;) {
    const [, first = '', next = ''] = found
    if (ASKING.has(first) || (SPEAKERS.has(first) && WISHING.test(next))) {
      pieces.push(sentence.slice(start, found.index))
      start = MAY_PART_CLAUSES.lastIndex
    } else MAY_PART_CLAUSES.lastIndex = found.index + 1
  }
  return [...pieces, sentence.slice(start)]
}

function asks(text: string): boolean {
  return ASKING.has(lowered(FIRST_WORD.exec(text)![0]))
}

/** Short ones stay with the clause before them, or after them where they come first. */
function clausesOf(sentence: string): string[] {
  const clauses: string[] = []
  let text = ''
  const pieces = partClauses(sentence)
  pieces.forEach((piece, at) => {
    text = `${text} ${piece}`.trim()
    const isLast = at === pieces.length - 1
    if (!leansOnOthers(text) || (isLast && clauses.length === 0)) clauses.push(text)
    else if (clauses.length > 0) clauses[clauses.length - 1] += ` ${text}`
    else return
    text = ''
  })
  return clauses
}

function leansOnOthers(sentence: string): boolean {
  const found = countTerms(sentence)
  return found === 0 || (found < LEAST_REFERRING_TERMS && words(sentence).some((word) => REFERS.has(word)))
}

function countTerms(text: string): number {
  return new Set(terms(text)).size
}
