/** Variants of questions. Random choices depend on the question's position, so that they are reproducible. */
import { isStopWord } from '../../src/language/english/stop-words.ts'
import { seededRandom } from '../seeded-random.ts'

/** Makes a variant of a question; `at` is its position in its set. */
export type QuestionForm = (question: string, at: number) => string

const WORD = /[A-Za-z]+/g
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
/** Shorter words get no typing error. */
const LONG_WORD = 5
const MARKED: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ö', u: 'ü', n: 'ñ', c: 'ç' }
const ASKING =
  /^(?:what|which|who|how|why|when|where)(?:'s| is| are| was| were| do| does| did| can| should| to)?(?: i| we| you)? /i

const titleCase: QuestionForm = (question) =>
  question.replace(WORD, (word) => word.charAt(0).toUpperCase() + word.slice(1))
const withoutEnd: QuestionForm = (question) => question.replace(/[\s.?!]+$/u, '')

/** All variants by name. */
export const QUESTION_FORMS: Readonly<Record<string, QuestionForm>> = {
  'lower case': (question) => question.toLowerCase(),
  CAPITALS: (question) => question.toUpperCase(),
  'Title Case': titleCase,
  'no punctuation at the end': withoutEnd,
  'an accent on one letter of a content word': (question, at) =>
    inOneWord(question, at, (word) => {
      const place = [...word].findIndex((letter) => letter in MARKED)
      return place < 0 ? word : word.slice(0, place) + MARKED[word[place]!]! + word.slice(place + 1)
    }),
  'one typo in a content word': (question, at) => inOneWord(question, at, (word, random) => misspelt(word, random)),
  'keywords: function words left out': (question) =>
    (question.match(/[\p{L}\p{N}\p{M}'’.-]+/gu) ?? []).filter((word) => !isStopWord(word.toLowerCase())).join(' '),
  'as a title: no question word, Title Case': (question, at) =>
    titleCase(withoutEnd(question.replace(ASKING, ''), at), at),
  'a title as a question': (question, at) => `What about ${withoutEnd(question, at)}?`,
  'Hello … Thanks!': (question) => `Hello, ${question} Thanks!`,
  'Could you please tell me': (question, at) => `Could you please tell me: ${withoutEnd(question, at)}? Thank you.`,
  'I would like to know': (question, at) => `Hi! I would like to know ${withoutEnd(question, at)}, please.`,
}

/** Changes one of the longer content words. */
function inOneWord(question: string, at: number, change: (word: string, random: () => number) => string): string {
  const random = seededRandom(at + 1)
  const found = [...question.matchAll(WORD)].filter(
    ([word]) => word.length >= LONG_WORD && !isStopWord(word.toLowerCase()),
  )
  const chosen = found[Math.floor(random() * found.length)]
  if (chosen === undefined) return question
  const [word] = chosen
  return question.slice(0, chosen.index) + change(word, random) + question.slice(chosen.index + word.length)
}

/** Omits, doubles, replaces or swaps a letter, never the first. */
function misspelt(word: string, random: () => number): string {
  const place = 1 + Math.floor(random() * (word.length - 2))
  const letter = LETTERS[Math.floor(random() * LETTERS.length)]!
  const [before, here, next, after] = [word.slice(0, place), word[place]!, word[place + 1]!, word.slice(place + 2)]
  switch (Math.floor(random() * 4)) {
    case 0:
      return before + next + after
    case 1:
      return before + letter + here + next + after
    case 2:
      return before + letter + next + after
    default:
      return before + next + here + after
  }
}
