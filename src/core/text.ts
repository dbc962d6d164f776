/** Words, terms and sentences of questions and passages. */
import { stem } from './stem.ts'

/**
 * A question as it is searched, keyed and judged: NFC, white space runs folded to one space, ends trimmed. Letter case
 * and compatibility characters stay (`①` is not `1`).
 */
export function normaliseQuestion(question: string): string {
  return question.normalize('NFC').replace(/\s+/gu, ' ').trim()
}

/** English function words: they carry no evidence. Question words count among them. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are as at be because been before being below between both
  but by can cannot could did do does doing don down during each few for from further had has have having he her here
  hers herself him himself his how i if in into is it its itself just ll me more most my myself no nor not now of off on
  once only or other our ours ourselves out over own re s same she should so some such t than that the their theirs them
  themselves then there these they this those through to too under until up ve very was we were what when where which
  while who whom whose why will with would you your yours yourself yourselves`.split(/\s+/),
)

/** Whether a word, in lower case, carries no evidence of its own. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/**
 * The words of a text in order, in lower case, compatibility characters folded. Scripts written without spaces give
 * their character pairs, so that they can be matched at all.
 */
export function words(text: string): string[] {
  const found: string[] = text.normalize('NFKC').toLowerCase().match(WORD) ?? []
  return UNSPACED.test(text) ? found.flatMap((word) => (UNSPACED.test(word) ? characterPairs(word) : [word])) : found
}

function characterPairs(word: string): string[] {
  const characters = [...word]
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, at) => characters[at]! + character)
}

const STEMS = new Map<string, string>()
const STEMS_KEPT = 20_000

/** Stem of a word, remembered: the same few thousand words make up most text. */
function stemOf(word: string): string {
  const known = STEMS.get(word)
  if (known !== undefined) return known
  const made = stem(word)
  if (STEMS.size >= STEMS_KEPT) STEMS.clear()
  STEMS.set(word, made)
  return made
}

/** The terms of a text in order: stemmed words, stop words left out. What indexes, lexicons and signals count. */
export function terms(text: string): string[] {
  const kept: string[] = []
  for (const word of words(text)) if (!isStopWord(word)) kept.push(stemOf(word))
  return kept
}

const SENTENCE_END =
  /(?<=[.!?。！？][)"'”’\]]*)\s+(?=[\p{Lu}\p{Lo}\p{N}"'“‘([])|\s*\n\s*\n\s*|\s*\n(?=\s*(?:[-*+>#|]|\d+[.)]\s))/u
const ABBREVIATION = /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|vs|e\.g|i\.e|etc|cf|No|Fig|Inc|Ltd|Co)\.$/u

/** The sentences of a text in order, as written. Paragraphs and list items end one; initials and common abbreviations do not. */
export function sentences(text: string): string[] {
  const found: string[] = []
  for (const piece of text.split(SENTENCE_END)) {
    const trimmed = piece.trim()
    if (trimmed === '') continue
    const before = found.at(-1)
    if (before !== undefined && ABBREVIATION.test(before)) found[found.length - 1] = `${before} ${trimmed}`
    else found.push(trimmed)
  }
  return found
}
