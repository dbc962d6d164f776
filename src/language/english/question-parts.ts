/** What a question asks, and its parts: what of it must be supported by itself. */
import type { QuestionParts } from '../../core/text/language.ts'
import { joinSmallest, markedSentences, opened } from '../../core/text/marked-sentences.ts'
import { setOf } from '../../core/text/set-of.ts'
import { words } from '../../core/text/words.ts'
import { namesOnly } from './names-only.ts'
import { partedInOthers } from './other-languages.ts'
import { isSmallTalk, onlyStates, withoutTalk } from './small-talk.ts'
import { terms } from './terms.ts'
import { AUXILIARIES, isAsking, QUESTION_WORDS, SUBJECTS, WISHES } from './word-lists.ts'

const REASON = '(?:(?:given|considering|seeing) that|because)\\b'
/** At the end of a line, and before a reason: it stands by itself, and a sentence of the documents supports no more than itself. */
const BEFORE_SENTENCE = new RegExp(`\\n|,? (?=${REASON})`, 'i')
/** What an answer is to be dressed as, and about: "told as a story of …". */
const DRESS =
  '(?:as|in) (?:an?|the) (?:\\w+ )?' +
  '(?:story|poem|tale|song|rap|haiku|limerick|sonnet|ballad|play|joke|letter|dialogue|novel|style|voice|manner|words) ' +
  '(?:of|about|by|for|from|to|with)'

const PREPOSITION = '(?:in|of|to|for|by|from|with|at|on|under|through|during|about|into)'
const oneOf = (list: ReadonlySet<string>): string => `(?:${[...list].join('|')})`
/**
 * What may stand between two clauses, and the words that the latter begins with, whole: Turkish "doğu" is no "do". Nothing
 * needs to before a question word, "in what year did", "does", and an auxiliary before its subject ("do it" is a verb): two
 * sentences may be run together.
 */
const BETWEEN_CLAUSES = new RegExp(
  `,? (?=${DRESS}\\b)|` +
    '(?:,? (?:and|but|also|or|then|plus|as well as),?|,) (?=(?:(?:also|then|finally|next|please|' +
    `${PREPOSITION}) )?([\\wÀ-ỹ]+)((?: \\w+){0,3}))| (?=(?:${PREPOSITION} what(?: \\w+){1,4} ${oneOf(AUXILIARIES)}|${oneOf(QUESTION_WORDS)}|` +
    `(${oneOf(AUXILIARIES)} (?:i|we|you|there|(?<!do |have )it)|(?<!it )(?:does|did)(?! not)))\\b)`,
  'gi',
)
/** A full stop and what stands before it. Questions are often typed in small letters: it ends a sentence there too. */
const STOP = /(?<![^\s"'“‘([{«])([^\s"'“‘([{«]*)\.["'”’)\]}»]* (?=\S)/g
/** Unless it shortens that word: a letter, one or two between stops each, few without a vowel, or one of these. */
const SHORTENED =
  /^(?:.|.*\.|..?(?:\...?)+|[b-df-hj-np-tv-xz]{2,5}|nos?|prof|inc|co|corp|etc|fig|vol|ed|est|sen|gov|min|max|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)$/i
/** A word with a capital, without a space before it: "the keysWhat is …" holds two sentences where it asks. */
const GLUED = /(?<=[a-z])[A-Z][a-z]+(?= )/g
/** With one of them a sentence of fewer than two terms leans on what stands before it. */
const REFERS = /\b(?:it|its|itself|they|them|their|theirs|this|that|these|those|ones?|he|him|his|she|her)\b/i
/** Words that say when, where or on what condition something holds, unless an auxiliary follows: then they ask it. */
const ADVERBIAL = setOf('when where while if')
/** Before a question word they make it one of their own clause: "in which". */
const ENDS_IN_PREPOSITION = new RegExp(`\\b${PREPOSITION}$`, 'i')
/** A code in brackets before a question. */
const IN_BRACKETS = /^\W*\[([^[\]]{1,40})\]\s*/
/** Sentences beside a question that are left out, at most: more are a text of its own. */
const MOST_STATED = 2
/** How far behind ", and" terms are counted, in characters. */
const CLOSE = 80

/**
 * Takes a question apart into its sentences and clauses. What only surrounds the asking is none of them (`isSmallTalk`:
 * "Hi, thanks for your help."), nor are a sentence or two that only state ("I am on Windows 11."). A sentence or clause of one
 * term that refers to what was named before ("Who develops it?") belongs to the part before it, or after it where it comes
 * first; so does one without a term.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function questionParts(question: string): QuestionParts {
  const named = new Set<string>()
  const isBeside = (text: string): boolean => namesOnly(text, named) || isSmallTalk(text)
  const pieces = markedSentences(opened(question), sentencesAndReasons).flatMap((sentence) => {
    const states = onlyStates(sentence)
    return askedIn(sentence, isBeside).map((text) => ({ text, states }))
  })
  const asked = withoutStated(pieces)
  const left = asked.map(({ text }) => text).join(' ')
  // Where no term was left out, the question stays as it was written.
  const bare = left === '' || terms(left).length === terms(question).length ? question : left
  const parts = joinLeaning(asked, refersToOthers)
  const states = asked.length < pieces.length && { states: true }
  if (parts.length < 2) return { bare, parts: [bare], ...states }
  return { bare, parts: joinSmallest(parts.map(({ text }) => text)), ...states }
}

/** A part. */
interface Piece {
  readonly text: string
  /** Whether its sentence only states what concerns who asks. */
  readonly states?: boolean
}

/** What is left without the few sentences that only state, where there is more, and nothing refers to them or names what they do. */
function withoutStated(pieces: readonly Piece[]): readonly Piece[] {
  const stated = pieces.filter(({ states }) => states)
  const asked = pieces.filter(({ states }) => !states)
  const named = new Set(terms(stated.map(({ text }) => text).join(' ')))
  const leans = ({ text }: Piece): boolean => refersToOthers(text) || terms(text).some((term) => named.has(term))
  const isBeside = stated.length <= MOST_STATED && asked.length > 0 && !asked.some(leans)
  return isBeside ? asked : pieces
}

/** The clauses of a sentence without the talk around each. */
function askedIn(sentence: string, isBeside: (text: string) => boolean): readonly string[] {
  if (isBeside(sentence)) return []
  const said = sentence.replace(IN_BRACKETS, (all, code: string) => (isBeside(code) ? '' : all))
  const left = withoutTalk(said)
  const clauses = clausesOf(left, !said.startsWith(left))
  return clauses.length === 1 ? clauses : clauses.map(withoutTalk).filter((clause) => !isBeside(clause))
}

/**
 * Parts a sentence wherever a clause begins that asks, tells to do something, or says what is wanted to know, and at
 * ", and" where two terms stand on either side and it ends no list. A clause that says when or where something holds belongs
 * to what it stands beside, and so does a fragment of one term.
 *
 * @param told whether talk stood before it ("tell me a story …"): then no fragment at its beginning leans on what follows
 */
function clausesOf(sentence: string, told: boolean): string[] {
  const clauses: string[] = []
  let start = 0
  for (const { 0: between, 1: first = '', 2: others = '', 3: inverted, index } of sentence.matchAll(BETWEEN_CLAUSES)) {
    const clause = sentence.slice(start, index)
    const wishes = words(others).some((word) => WISHES.has(word) || word === 'would')
    const joins =
      between.startsWith(', and') &&
      !clause.includes(',') &&
      [clause, sentence.slice(index, index + CLOSE)].every((text) => terms(text).length > 1)
    if (first !== '' && !isAsking(first) && !(wishes && SUBJECTS.has(first.toLowerCase())) && !joins) continue
    const leans = inverted
      ? hasOneOf(QUESTION_WORDS, clause) && !hasOneOf(AUXILIARIES, clause)
      : isAdverbial(sentence.slice(index + between.length)) || (first === '' && ENDS_IN_PREPOSITION.test(clause))
    if (leans) continue
    clauses.push(clause)
    start = index + between.length
  }
  const rest = sentence.slice(start)
  const pieces = [...clauses, ...(hasOneOf(QUESTION_WORDS, rest) ? [rest] : partedInOthers(rest))].map((text) => ({
    text,
  }))
  const alone = pieces.splice(0, told ? 1 : 0)
  return [...alone, ...joinLeaning(pieces, isFragment)].map(({ text }) => text)
}

/** "when the volume grows", and not "when does it grow". */
function isAdverbial(clause: string): boolean {
  const [first = '', second = ''] = words(clause.slice(0, CLOSE))
  return ADVERBIAL.has(first) && !AUXILIARIES.has(second)
}

/** Joins what leans on others to what stands before it, or after it where it comes first. */
function joinLeaning(pieces: readonly Piece[], leans: (text: string) => boolean): Piece[] {
  const joined: { text: string }[] = []
  let waiting = ''
  for (const { text } of pieces) {
    // Trimmed before it is joined: no text is copied once more for each that follows.
    const whole = (waiting && `${waiting} `) + text.trim()
    const last = joined.at(-1)
    waiting = ''
    if (!leans(text)) joined.push({ text: whole })
    else if (last !== undefined) last.text += ` ${whole}`
    else waiting = whole
  }
  return waiting === '' ? joined : [{ text: waiting }]
}

/** At most one term ("what happens"); what asks something of one term is none: "what is love". */
function isFragment(clause: string): boolean {
  return new Set(terms(clause)).size < 2 && !hasOneOf(AUXILIARIES, clause)
}

function hasOneOf(list: ReadonlySet<string>, text: string): boolean {
  return words(text).some((word) => list.has(word))
}

function sentencesAndReasons(sentence: string): string[] {
  return sentence
    .replaceAll(STOP, (stop, word: string) => (SHORTENED.test(word) ? stop : `${stop}\n`))
    .replaceAll(GLUED, (word) => (isAsking(word) ? `\n${word}` : word))
    .split(BEFORE_SENTENCE)
}

function refersToOthers(piece: string): boolean {
  const distinct = new Set(terms(piece)).size
  return distinct === 0 || (distinct === 1 && REFERS.test(piece))
}
