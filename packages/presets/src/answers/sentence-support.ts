/** Compares an answer with the passages by words, numbers and names, without a model; meaning is not compared. */
import type { SentenceSupport } from 'hono-rag-gate/core/answer'
import { CROWDED_MARKS, type Language, mapCode, sentences, terms, visible, words } from 'hono-rag-gate/core/text'

const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]/g
const LIST_MARKER = /^(?:[-*+>#]+\s+)*(?:\d{1,3}[.)](?:\s+|$))?/
const NUMBER = /\p{N}+(?:[.,:/]\p{N}+)*/gu
const NAME = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}\p{M}]*/gu

/** Noncharacters that replace the brackets of code, such as `rows[1]`, while citations are parsed. */
const [CODE_OPENS, CODE_CLOSES] = ['\uFDD0', '\uFDD1']

/** The numbers that a text cites, as `[1]` or `[1, 3]`, in order. Brackets in code are ignored. */
export function citedNumbers(text: string): number[] {
  return [...codeMasked(text).matchAll(CITATION)].flatMap(([, list = '']) => list.split(/\s*[,;]\s*/).map(Number))
}

/** The terms, words and numbers of a passage. */
interface Held {
  readonly terms: ReadonlySet<string>
  readonly words: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
}

/** Support for an answer by sentence and by passage. */
export interface AnswerSupport {
  /** One entry per sentence, in the order of `answerSentences`. */
  readonly sentences: readonly SentenceSupport[]
  /**
   * One entry per passage: the terms that it shares with the sentences citing it; a term shared with several cited
   * passages is split among them. A sentence without a citation takes that of the next, as at a paragraph's end.
   */
  readonly cited: readonly number[]
}

/** Compares each sentence of an answer with the passages that it cites, or with all if it cites none. */
export function supportOfAnswer(
  answer: string,
  passages: readonly string[],
  language: Language | undefined,
): AnswerSupport {
  const found = maskedSentences(answer)
  const cited = passages.map(() => 0)
  if (found.length === 0) return { sentences: [], cited }
  const held = passages.map(visible).map((passage): Held => ({
    terms: new Set(terms(passage, language)),
    words: new Set(words(passage)),
    numbers: new Set(numbersIn(passage)),
  }))
  const own = found.map((sentence) => termsOf(sentence, language))
  let numbers: readonly number[] = []
  for (let at = found.length - 1; at >= 0; at--) {
    const here = citedNumbers(found[at]!)
    if (here.length > 0) numbers = [...new Set(here)]
    for (const term of own[at]!) {
      const holding = numbers.filter((number) => held[number - 1]?.terms.has(term) === true)
      for (const number of holding) cited[number - 1]! += 1 / holding.length
    }
  }
  return { sentences: found.map((sentence, at) => supportOf(sentence, own[at]!, held, language)), cited }
}

/** Distinct terms of a sentence, without citations and words of assent. */
function termsOf(sentence: string, language: Language | undefined): ReadonlySet<string> {
  const text = sentence.replaceAll(CITATION, ' ')
  return new Set(terms(text, language).filter((term) => language?.isAssent(term) !== true))
}

/** Splits the visible text into sentences; a citation that stands alone belongs to the sentence before it. */
export function answerSentences(answer: string): string[] {
  return maskedSentences(answer).map((sentence) => sentence.replaceAll(CODE_OPENS, '[').replaceAll(CODE_CLOSES, ']'))
}

function codeMasked(text: string): string {
  return mapCode(
    text,
    (code) => code.replaceAll('[', CODE_OPENS).replaceAll(']', CODE_CLOSES),
    (other) => other,
  )
}

/** The sentences, in which only citations still have brackets around numbers. */
function maskedSentences(answer: string): string[] {
  const found: string[] = []
  for (const cut of sentences(codeMasked(visible(answer)))) {
    // A list number is not a number of the answer's content.
    const sentence = cut.replace(LIST_MARKER, '')
    if (sentence === '') continue
    const last = found.length - 1
    // `It starts. [1] Then it runs. [2]` is split before the citation, which belongs to the preceding sentence.
    const leading = /^(?:\[[\d\s,;]+\]\s*)+/.exec(sentence)?.[0] ?? ''
    if (leading !== '' && last >= 0) {
      found[last] += ` ${leading.trim()}`
      if (leading.length < sentence.length) found.push(sentence.slice(leading.length))
    } else found.push(sentence)
  }
  return found
}

function supportOf(
  sentence: string,
  own: ReadonlySet<string>,
  held: readonly Held[],
  language: Language | undefined,
): SentenceSupport {
  const cited = citedNumbers(sentence)
  const known = cited.flatMap((number) => held[number - 1] ?? [])
  const against = known.length > 0 ? known : held
  const text = sentence.replaceAll(CITATION, ' ')
  let supported = 0
  for (const term of own) if (against.some((passage) => passage.terms.has(term))) supported++
  return {
    termCount: own.size,
    termShare: own.size === 0 ? 0 : supported / own.size,
    missingNumbers: countMissing(numbersIn(text), (number) => against.some(({ numbers }) => numbers.has(number))),
    missingNames: countMissing(namesIn(text, language), (name) =>
      against.some((passage) => holdsName(passage, name, language)),
    ),
    unknownCitations: cited.length - known.length,
  }
}

/** Whether a passage contains a name, verbatim or with the same stem (`Batteries` for `battery`). */
function holdsName(passage: Held, name: string, language: Language | undefined): boolean {
  const [term] = terms(name, language)
  return passage.words.has(name) || (term !== undefined && passage.terms.has(term))
}

function countMissing(wanted: readonly string[], isHeld: (each: string) => boolean): number {
  return new Set(wanted.filter((each) => !isHeld(each))).size
}

/** Numbers in one form: without thousands separators and trailing zeros after the decimal point. */
function numbersIn(text: string): string[] {
  return (text.replace(CROWDED_MARKS, '').normalize('NFKC').match(NUMBER) ?? []).map((number) => {
    const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(number) ? number.replaceAll(',', '') : number
    return /^\d+\.\d+$/.test(plain) ? plain.replace(/\.?(?<!0)0+$/, '') : plain
  })
}

/** Capitalised words that do not start the sentence, and words all in capitals anywhere. */
function namesIn(text: string, language: Language | undefined): string[] {
  const names: string[] = []
  for (const match of text.matchAll(NAME)) {
    const [word] = match
    const begins = !/[\p{L}\p{N}]/u.test(text.slice(0, match.index))
    const capitals = word.length > 1 && word === word.toUpperCase()
    const lower = words(word)[0]
    if (lower !== undefined && (!begins || capitals) && language?.isStopWord(lower) !== true) names.push(lower)
  }
  return names
}
