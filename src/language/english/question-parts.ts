/** Splits a question into the parts that must each be supported. */
import type { QuestionParts } from '../../core/text/language.ts'
import { joinSmallest, markedSentences, opened } from '../../core/text/marked-sentences.ts'
import { words } from '../../core/text/words.ts'
import { namesOnly } from './names-only.ts'
import { ASKS, partedInOthers } from './other-languages.ts'
import { isSmallTalk, onlyStates, withoutTalk } from './small-talk.ts'
import { terms } from './terms.ts'
import { AUXILIARIES, isAsking, QUESTION_WORDS, SUBJECTS, WISHES } from './word-lists.ts'

const REASON = '(?:(?:given|considering|seeing) that|because)\\b'
const PREPOSITION = '(?:in|of|to|for|by|from|with|at|on|under|through|during|about|into)'
/** The form requested for an answer, and its topic: "told as a story of …", "as Cleopatra would say". */
const DRESS =
  '(?:as|in(?: the form of)?) (?:an?|the) (?:\\w+ )?(?:\\w+ about|' +
  `(?:story|poem|tale|song|play|joke|letter|dialogue|novel|style|voice|manner|words) ${PREPOSITION})|as \\w+ would say`

const oneOf = (list: ReadonlySet<string>): string => `(?:${[...list].join('|')})`
/**
 * The end of a line; before a reason, which is a part of its own: a sentence copied from a document supports only itself; and
 * before at least nine characters without a Latin letter, if the text before them asks or requests something in English.
 */
const BEFORE_SENTENCE = new RegExp(
  `\\n|,? (?=${REASON})| (?=[\u0370-\u1dff\u3041-\ud7ff][^a-z]{8})(?<=\\b(?:${oneOf(QUESTION_WORDS)}|me|an?|the) [ -~]+)`,
  'i',
)
/**
 * Separators of two clauses, and the first words of the second, as whole words: Turkish "doğu" is not "do". A space, bracket,
 * quote or dash (but no hyphen) suffices before a question word, "in what year did", "does", and an auxiliary followed by its
 * subject (in "do it", "do" is a verb), because two sentences may be run together.
 */
const BETWEEN_CLAUSES = new RegExp(
  `,? (?=(?:${DRESS})\\b)|` +
    '(?:,? (?:and|but|also|or|then|plus|as well as),?|,) (?=(?:(?:also|then|finally|next|please|' +
    `${PREPOSITION}) )?([\\wÀ-ỹ]+)((?: \\w+){0,3}))|[ -+<[\`{-«–-„](?=(?:${PREPOSITION} what(?: \\w+){1,4} ${oneOf(AUXILIARIES)}|${oneOf(QUESTION_WORDS)}|` +
    `(${oneOf(AUXILIARIES)} (?:i|we|you|there|(?<!do |have )it)|(?<!it )(?:does|did)(?! not)))\\b)`,
  'gi',
)
/** A full stop and the word before it. It also ends a sentence before a lower-case letter, as questions are often typed. */
const STOP = /(?<!\S)(\S*)\.["'”’)]* (?=\S)/g
/** Abbreviations, perhaps in brackets or quotes, which it does not end: a letter, one or two letters between stops, short words without vowels, and these. */
const SHORTENED = /^\P{L}?(?:.|.*\.|..?(?:\.[^.]{1,2})+|[b-df-hj-np-tv-xz]{2,5}|no|prof|inc|co|corp|etc|min|max)$/iu
/**
 * A capitalised word without a space before it; if it asks, it begins a second sentence: "the keysWhat is …". In an English
 * question, question words of other languages do not: "How do I use OpenAi …".
 */
const GLUED = /(?<=\p{Ll})(\p{Lu}\p{Ll}*) /gu
/** Pronouns: a sentence with one of them and fewer than two terms depends on the text before it. */
const REFERS = /\b(?:it|its|itself|they|them|their|theirs|this|that|these|those|ones?|he|him|his|she|her)\b/i
/** Words with which a question of one term does not say what it is about, unlike "What is love?". */
const VAGUE = /\b(?:the|how|which) /i
/** An adverbial clause (when, where, on what condition): "when the volume grows" is one, "when does it grow" is a question. */
const ADVERBIAL = new RegExp(`^(?:when|where|while|if)\\b(?! ${oneOf(AUXILIARIES)}\\b)`, 'i')
/** A preposition at the end of a clause, to which a following question word belongs: "in which". */
const ENDS_IN_PREPOSITION = new RegExp(`\\b${PREPOSITION}$`, 'i')
/** A code in brackets, or a name that is addressed, before a question. */
const BEFORE_QUESTION = /^\W*?(\[[^\]]{1,40}\]|@\w+(?=,| [A-Z]))/
/** Highest ratio of terms to words in an English question; only a few stop words of other languages are the same. */
const TERMS_FOR_A_WORD = 0.86
/** One or two words and a mark, like greetings and thanks in any language, or a name after them; in English one word ("Nope."). At most two count. */
const REMARK = /^[^\s\d]+(?: [^\s\d]+)?(?:,(?: \p{Lu}\S+){1,3}|[.!。।])$/u
/** A word in which digits stand for letters. */
const LEET = /[g-z]\d+[a-z]|[a-z]\d+[g-z]/i
/** Whether there are two ("m4k3 b0mb5"): two codes are rarely like them. */
const isSpelled = (text: string): boolean => text.split(' ').filter((word) => LEET.test(word)).length > 1
/** Characters after ", and" in which terms are counted. */
const CLOSE = 80

/**
 * Splits a question into its sentences and clauses. Small talk is left out (`isSmallTalk`: "Hi, thanks for your help."), and so
 * are sentences that only state something ("I am on Windows 11.") or are a remark ("Hallo!", `REMARK`).
 * A sentence or clause without a term, or of one term with a pronoun ("Who develops it?"), is joined to the part before it, or
 * after it if it comes first.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function questionParts(question: string): QuestionParts {
  const named = new Set<string>()
  let remarks = 0
  let place = 0 // 1 after what is asked, 2 after small talk behind it: then a name may follow.
  const isBeside = (text: string, isApart?: boolean, signs = place > 1): boolean => {
    const isNames = !isSpelled(text) && namesOnly(text, named, signs)
    place = isNames || isSmallTalk(text, isApart) ? place && 2 : 1
    return place !== 1
  }
  const all = terms(question).length
  const isForeign = all > words(question).length * TERMS_FOR_A_WORD
  const sentencesAndReasons = (sentence: string): string[] =>
    sentence
      .replaceAll(STOP, (stop, word: string) => (SHORTENED.test(word) ? stop : `${stop}\n`))
      .replaceAll(GLUED, (glued, word: string) =>
        isAsking(word) || (isForeign && glued.search(ASKS) === 0) ? `\n${glued}` : glued,
      )
      .split(BEFORE_SENTENCE)
  // A colon between a label and a number or code does not separate sentences.
  const pieces = markedSentences(opened(question).replaceAll(/: (?=\S*\d\S*\d)/g, ' '), sentencesAndReasons).flatMap(
    (sentence) => {
      const states =
        (!isSpelled(sentence) && onlyStates(sentence, isForeign)) ||
        (words(sentence).length < (isForeign ? 5 : 2) && REMARK.test(sentence) && remarks++ < 2)
      return askedIn(sentence, isBeside).map((text) => ({ text, states }))
    },
  )
  const asked = withoutStated(pieces)
  const left = asked.join(' ')
  // If no term was left out, or none is left, the question is kept as it was written.
  const kept = terms(left).length
  const bare = kept && kept !== all ? left : question
  const parts = joinLeaning(asked, refersToOthers)
  return {
    bare,
    parts: parts.length < 2 ? [bare] : joinSmallest([...new Set(parts)]),
    // A question without a term may be about a name that was left out: "I am Napoleon. Who am I?"
    ...((asked.length < pieces.length || (named.size && parts.length < asked.length)) && { states: true }),
  }
}

/** A part. */
interface Piece {
  readonly text: string
  /** Whether its sentence is only a statement about the asker. */
  readonly states: boolean
}

/** Leaves out sentences that only state, if what is asked beside them needs none of them and shares no term with them. */
function withoutStated(pieces: readonly Piece[]): readonly string[] {
  const textsOf = (stated: boolean): string[] => pieces.flatMap(({ text, states }) => (states === stated ? [text] : []))
  const asked = textsOf(false)
  const left = asked.join(' ')
  const named = new Set(terms(textsOf(true).join(' ')))
  const leans =
    refersToOthers(left, VAGUE) ||
    terms(left).some((term) => named.has(term)) ||
    asked.some((text) => refersToOthers(text))
  return leans ? pieces.map(({ text }) => text) : asked
}

/** The clauses of a sentence without the talk around each. */
function askedIn(
  sentence: string,
  isBeside: (text: string, isApart?: boolean, signs?: boolean) => boolean,
): readonly string[] {
  if (isBeside(sentence)) return []
  const said = sentence.replace(BEFORE_QUESTION, (code) => (isBeside(code) ? '' : code))
  const left = withoutTalk(said)
  // A name behind thanks: "Thanks in advance, Tom".
  if (said.endsWith(`, ${left}`) && isBeside(left, false, true)) return []
  const clauses = clausesOf(left, !said.startsWith(left))
  return clauses.length === 1 ? clauses : clauses.map(withoutTalk).filter((clause) => !isBeside(clause, false))
}

/**
 * Splits a sentence before each clause that asks, requests something, or says what the asker wants to know, and at ", and" if
 * there are two terms on both sides and it does not end a list. An adverbial clause is not separated from the clause beside
 * it, nor is a fragment of one term.
 *
 * @param told whether small talk came before it ("tell me a story …"): then its first fragment is not joined to what follows
 */
function clausesOf(sentence: string, told: boolean): string[] {
  const clauses: string[] = []
  let start = 0
  for (const { 0: between, 1: first = '', 2: others = '', 3: inverted, index } of sentence.matchAll(BETWEEN_CLAUSES)) {
    const clause = sentence.slice(start, index)
    const wishes = WISHES.test(others)
    const joins =
      between.startsWith(', and') &&
      !clause.includes(',') &&
      [clause, sentence.slice(index, index + CLOSE)].every((text) => terms(text).length > 1)
    if (first !== '' && !isAsking(first) && !(wishes && SUBJECTS.has(first.toLowerCase())) && !joins) continue
    const leans = inverted
      ? hasOneOf(QUESTION_WORDS, clause) && !hasOneOf(AUXILIARIES, clause)
      : ADVERBIAL.test(sentence.slice(index + between.length)) || (first === '' && ENDS_IN_PREPOSITION.test(clause))
    if (leans) continue
    clauses.push(clause)
    start = index + between.length
  }
  const rest = sentence.slice(start)
  const pieces = [...clauses, ...(hasOneOf(QUESTION_WORDS, rest) ? [rest] : partedInOthers(rest))]
  return joinLeaning(pieces, (text) => !(told && text === pieces[0]) && isFragment(text))
}

/** Joins dependent pieces to the piece before them, or after them if they come first. */
function joinLeaning(pieces: readonly string[], leans: (text: string) => boolean): string[] {
  const joined: string[] = []
  let waiting = ''
  for (const text of pieces) {
    // Trimmed before joining, so that the joined text is not copied for each further piece.
    const whole = (waiting && `${waiting} `) + text.trim()
    waiting = ''
    if (!leans(text)) joined.push(whole)
    else if (joined.length > 0) joined[joined.length - 1] += ` ${whole}`
    else waiting = whole
  }
  return waiting === '' ? joined : [waiting]
}

/** Whether a clause has at most one term ("what happens") and no auxiliary: "what is love" is a question about one term. */
function isFragment(clause: string): boolean {
  return new Set(terms(clause)).size < 2 && !hasOneOf(AUXILIARIES, clause) && !isSmallTalk(clause, false)
}

function hasOneOf(list: ReadonlySet<string>, text: string): boolean {
  return words(text).some((word) => list.has(word))
}

function refersToOthers(piece: string, refers = REFERS): boolean {
  return new Set(terms(piece)).size < (refers.test(piece) ? 2 : 1)
}
