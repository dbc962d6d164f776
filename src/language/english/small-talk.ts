/** Recognises small talk around a question: courtesy, and remarks about asking. It needs no support by evidence. */
import { words } from '../../core/text/words.ts'
import { isStopWord } from './stop-words.ts'
import { terms } from './terms.ts'
import {
  AUXILIARIES,
  BEFORE_ASKING,
  BESIDE,
  FRAMES,
  HELP,
  isAsking,
  JOINTS,
  LIMITS,
  NAMED,
  ORDERS,
  PHRASES,
  QUESTION_WORDS,
  SPEAKERS,
  SUBJECTS,
  TALK,
  WISHES,
} from './word-lists.ts'

const WORD = /[\w'’]+/g
const ENDS_IN_MARK = /(?:[,:;!–—]| -)[^\w'’]*$/
/** Separators after which small talk may begin at the end of a sentence. */
const BEFORE_TALK =
  /, (?:(?:but|so|and) )?| but | (?=(?:please|pl[sz]|lol|asap|t[yi]a?|tldr|in (?:\w+ ){1,2}(?:terms|words|sentences|english))\W*$|(?:(?:many )?thanks|thank you|thx|cheers)\b)/gi
/** What a clause with a further request contains: "Show me your instructions and explain …". */
const FURTHER = /,|\b(?:your|and|then)\b/i
/** Numbers and codes with spaces between them: 5 to 24 characters, each at most twelve. */
const CODES = /^(?!.*\S{13}).{5,24}$/
/** A preposition that introduces a topic (it does not before the asker and what was named before), or words spelled out. */
const INTRODUCES = /(?<!^thx )\b(?:to|for|after|about) (?!(?:th[ai][st]|it|our|m[ey])\b)|( [a-z]){5}/
/** Characters at either end of a sentence that are searched for small talk. */
const REACH = 160
/** How often small talk is removed from both ends, because there may be several pieces: "Hello, please, …". */
const ROUNDS = 3

/**
 * Whether a clause is small talk: all its terms are listed (`HELP`, `BESIDE`, `TALK`, `NAMED`) or auxiliaries. A question or
 * request, and a clause without a speaker that no punctuation sets apart, restricts (`LIMITS`) or only names (`NAMED`), must
 * also ask for help: all its terms are in `HELP` or `BESIDE` and, unless a statement precedes it, at least one is in `HELP`.
 *
 * @param isApart whether punctuation separates it from what is asked
 * @param also further stems that count like those of `HELP`. @default none
 * @returns `false` for a clause without a term, which is joined to its neighbour
 */
export function isSmallTalk(clause: string, isApart = true, also = HELP): boolean {
  const helps = (term: string): boolean => HELP.has(term) || also.has(term)
  const isOfHelp = (term: string): boolean => helps(term) || isIn(BESIDE, term)
  const said = spoken(clause)
  const all = terms(said.join(' '))
  if (all.length === 0 || !all.every((term) => isOfHelp(term) || isTalk(term)) || said[0] === 'only') return false
  const asksAt = said.findIndex(asks)
  const end = asksAt < 0 ? said.length : asksAt
  const isKept = /\?/.test(clause) || said.some((word) => LIMITS.has(word)) || all.every((term) => NAMED.has(term))
  const isRemark = asksAt < 0 && isApart && !isAsking(said[0]!) && !isKept
  const isStated = isRemark || said.slice(0, end).some(states)
  const asked = isStated ? terms(said.slice(end).join(' ')) : all
  return asked.every(isOfHelp) && (isStated || asked.some(helps))
}

/**
 * Whether a sentence only states something about the asker ("Being a nurse, I use Windows 11."), with further clauses that
 * begin with a stop word, or identifies the case by numbers, with at most six words for each. It contains no question,
 * request or wish, and introduces no topic. Thanks may say for what.
 *
 * @param isForeign whether the question is in another language, where only numbers count
 */
export function onlyStates(sentence: string, isForeign: boolean): boolean {
  const said = spoken(sentence)
  const told = said.join(' ')
  const codes = said.filter((word) => /\d/.test(word))
  return (
    !/\?/.test(sentence) &&
    said[1] !== 'me' &&
    ((codes.length * 7 >= said.length && CODES.test(codes.join(' '))) ||
      (!isForeign && said.some(states) && !said.some((word, at) => word === 'then' && !isStopWord(said[at + 1]!)))) &&
    !said.some(asks) &&
    !WISHES.test(told) &&
    !INTRODUCES.test(told)
  )
}

/** Its words, with `then` for marks between clauses and `thx` for set phrases. */
function spoken(clause: string): readonly string[] {
  return words(clause.replaceAll(/[,;–—](?=\D)/g, ' then ').replaceAll(PHRASES, 'thx'))
}

/** Whether a word asks, is an imperative, or expresses a wish. */
function asks(word: string, at: number, said: readonly string[]): boolean {
  const before = said[at - 1] ?? 'and'
  if (QUESTION_WORDS.has(word)) return true
  if (ORDERS.has(word)) return said[at + 1] === 'me' || JOINTS.has(before)
  return word === 'like' ? before === 'would' || before === 'd' : /^(?:if|whether|telling)$/.test(word)
}

/** Whether a word is the subject of a statement; after an auxiliary it is that of a question. */
function states(word: string, at: number, said: readonly string[]): boolean {
  const before = said[at - 1] ?? 'and'
  return SPEAKERS.has(word) ? !AUXILIARIES.has(before) : SUBJECTS.has(word) && JOINTS.has(before)
}

/** Whether a term is a remark. Auxiliaries are, negated ones too: "couldn", "dont". */
function isTalk(term: string): boolean {
  return isIn(TALK, term) || NAMED.has(term) || AUXILIARIES.has(term.replace(/nt?$/, ''))
}

/** Whether a stem is listed or, for an adverb, the stem of its adjective. */
function isIn(stems: ReadonlySet<string>, term: string): boolean {
  return stems.has(term) || stems.has(term.replace(/li$/, ''))
}

/**
 * Removes small talk at both ends of a sentence, and words that only ask: "Sorry if this is basic, but could you tell me …,
 * thanks", "What is the best way to …". A clause that restricts the question is kept ("…, but only if I ask").
 */
export function withoutTalk(sentence: string): string {
  let rest = sentence
  for (let round = 0; round < ROUNDS; round++) rest = withoutTail(withoutHead(rest))
  return rest
}

function withoutHead(sentence: string): string {
  const head = sentence.slice(0, REACH)
  const said = [...head.matchAll(WORD)]
  const wordAt = (at: number): string => said[at]?.[0].toLowerCase() ?? ''
  let start = 0
  said.forEach(({ index }, at) => {
    const before = wordAt(at - 1)
    const word = wordAt(at)
    const piece = head.slice(start, index)
    const framed = BEFORE_ASKING.has(before) && !BEFORE_ASKING.has(word)
    const mayBegin =
      framed ||
      ENDS_IN_MARK.test(piece) ||
      before === 'but' ||
      (before === 'know' && /^(?:i|we)\b/i.test(head)) ||
      (!QUESTION_WORDS.has(before) &&
        (QUESTION_WORDS.has(word) || (AUXILIARIES.has(word) && SUBJECTS.has(wordAt(at + 1)))))
    if (mayBegin && (isTalkBeside(piece, framed) || (start > 0 && terms(piece).length === 0))) start = index
  })
  return sentence.slice(start)
}

function withoutTail(sentence: string): string {
  const from = Math.max(0, sentence.length - REACH)
  const tail = sentence.slice(from)
  for (const { 0: cut, index } of tail.matchAll(BEFORE_TALK)) {
    if (from + index > 0 && isTalkBeside(tail.slice(index + cut.length))) return sentence.slice(0, from + index)
  }
  return sentence
}

/**
 * Whether a clause is small talk and does not restrict its neighbour.
 *
 * @param framed whether what is asked follows it: then `FRAMES` count like `HELP`, except in what may be asked itself ("How
 *   do I process …", "Is the list of …"). Elsewhere they may be a request: "Show me your instructions, …"
 */
function isTalkBeside(clause: string, framed = false): boolean {
  const begins = words(clause).find((word) => !JOINTS.has(word)) ?? ''
  const isFrame = framed && !/^(?:how|who|why|is|are|does|did|has)$/.test(begins) && !FURTHER.test(clause)
  return !LIMITS.has(begins) && isSmallTalk(clause, ENDS_IN_MARK.test(clause), isFrame ? FRAMES : HELP)
}
