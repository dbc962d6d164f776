/**
 * What tells two questions apart that share most of their words: the guard before an answer to one is sent to another.
 * It reads English; a question without an English question word differs from every other.
 */
import { stem } from './stem.ts'
import { isStopWord } from './words.ts'

/** What the answer to one question may not be sent to another for. */
export type QuestionDifference = 'question-word' | 'number' | 'negation' | 'opposite' | 'name' | 'order'

/** A word as it stands in a question. */
interface Word {
  /** In lower case. */
  readonly text: string
  readonly stem: string
  /** Written with a capital where none is due, or with digits in it: it names something. */
  readonly isName: boolean
}

const setOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

const QUESTION_WORDS = setOf('who what when where why how')
/** Words that ask the same as another. */
const ASKS_LIKE: ReadonlyMap<string, string> = new Map([
  ['which', 'what'],
  ['whose', 'what'],
  ['whom', 'who'],
])
/** What after `how` makes another question of it. */
const MEASURES = setOf('many much long often far old big large tall high deep fast soon late')

const NEGATIONS = setOf('not no never none nobody nothing nowhere neither nor without cannot except non hardly unless')

const NUMBER_WORDS = setOf(`
  zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen once twice
  thrice half double triple twelfth`)
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ')

/** Words whose opposite is another word: where only one question has one of them, it asks the opposite, or may. */
const OPPOSITES: ReadonlySet<string> = new Set(
  [
    ...setOf(`
      most least more less fewer last before after above below over under increase decrease rise fall north south east west
      northern southern eastern western begin end start stop finish accept reject refuse deny allow forbid prohibit permit
      ban include exclude win lose open close old new young high low large small big little long short early late good bad
      best worst max maximum minimum same different inside outside internal external male female man woman men women
      husband wife father mother son daughter buy sell import export love hate friend enemy true false right wrong left
      legal illegal public private create destroy build demolish add remove join leave enter exit arrive depart give take
      gain loss strong weak rich poor hot cold warm cool wet dry light dark heavy easy difficult hard simple complex support
      oppose against ancient modern positive negative active passive alive dead birth death born die majority minority
      superior inferior success failure succeed fail victory defeat encourage discourage agree disagree always often rarely
      seldom expand shrink shorten extend longest shortest largest smallest highest lowest oldest newest youngest earliest
      latest fast slow fastest slowest up down top bottom front back major minor upper lower summer winter spring autumn
      monday tuesday wednesday thursday friday saturday sunday january february april june july august september
      october november december day night attack defend war peace push pull rural urban enable disable
      connect disconnect install uninstall upgrade downgrade encrypt decrypt lock unlock approve disapprove lack avoid
      prevent decline only all some every each other another by from out off`),
  ].map(stem),
)

/** What turns a word into its opposite. */
const NEGATING_PREFIX = /^(?:un|in|im|il|ir|dis|non|mis|anti|de|counter)/

/**
 * What tells the second question from the first, of all that is looked for the first found: another question word, other
 * numbers or ordinals, more negations, a word with an opposite that only one has, a name that only one has, or words that
 * both have in another order. A clause that moved to the front is no other order.
 *
 * @returns `undefined` when nothing of this tells them apart; they may differ in other words
 */
export function questionDifference(one: string, other: string): QuestionDifference | undefined {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const asked = questionWords(a)
  if (asked.length === 0 || !equal(asked, questionWords(b))) return 'question-word'
  if (!equal(numbers(a), numbers(b))) return 'number'
  if (count(a, NEGATIONS) !== count(b, NEGATIONS)) return 'negation'
  const [inA, inB] = [stemsOf(a), stemsOf(b)]
  if (turnsAround(a, inB) || turnsAround(b, inA)) return 'opposite'
  if (namesBeyond(a, inB) || namesBeyond(b, inA)) return 'name'
  return isRotation(sequence(a, inB), sequence(b, inA)) ? undefined : 'order'
}

function wordsOf(question: string): readonly Word[] {
  const spelled = question
    .replaceAll(/n['’]t\b/gi, ' not')
    .replaceAll(/['’]s\b/gi, '')
    .replaceAll(/(?<=\d),(?=\d{3})/g, '')
  return [...spelled.matchAll(/[\p{L}\p{N}\p{M}]+(?:\.\d+)?/gu)].map(([written], at) => {
    const text = written.toLowerCase()
    const mixed = /\p{L}.*\p{Lu}/u.test(written) || (/\p{L}/u.test(written) && /\p{N}/u.test(written))
    return { text, stem: stem(text), isName: mixed || (at > 0 && /^\p{Lu}/u.test(written)) }
  })
}

function questionWords(words: readonly Word[]): readonly string[] {
  const found = words.flatMap(({ text }, at) => {
    const word = ASKS_LIKE.get(text) ?? text
    if (!QUESTION_WORDS.has(word)) return []
    const next = words[at + 1]?.text ?? ''
    return [word === 'how' && MEASURES.has(next) ? `how ${next}` : word]
  })
  return [...new Set(found)].sort()
}

/** Its number, an ordinal marked as one; `undefined` for any other word. `one` is a pronoun more often than a number. */
function numberOf({ text }: Word): string | undefined {
  const ordinal = ORDINALS.indexOf(text) + 1 || Number(/^(\d+)(?:st|nd|rd|th)$/.exec(text)?.[1] ?? 0)
  if (ordinal > 0) return `#${ordinal}`
  return /^\p{N}/u.test(text) || NUMBER_WORDS.has(text) ? text : undefined
}

function numbers(words: readonly Word[]): readonly string[] {
  return words.flatMap((word) => numberOf(word) ?? []).sort()
}

function count(words: readonly Word[], listed: ReadonlySet<string>): number {
  return words.filter(({ text }) => listed.has(text)).length
}

function stemsOf(words: readonly Word[]): ReadonlySet<string> {
  return new Set(words.map((word) => word.stem))
}

/** Whether a word that the other question does not have turns this one around. */
function turnsAround(words: readonly Word[], others: ReadonlySet<string>): boolean {
  return words.some((word) => {
    if (others.has(word.stem)) return false
    const rest = word.text.replace(NEGATING_PREFIX, '')
    return OPPOSITES.has(word.stem) || (rest !== word.text && others.has(stem(rest)))
  })
}

function namesBeyond(words: readonly Word[], others: ReadonlySet<string>): boolean {
  return words.some((word) => word.isName && !others.has(word.stem))
}

/** The words of a question that the other has too, once each, in order; those that carry no evidence left out. */
function sequence(words: readonly Word[], others: ReadonlySet<string>): readonly string[] {
  const shared = words.filter((word) => others.has(word.stem) && !isStopWord(word.text) && numberOf(word) === undefined)
  return [...new Set(shared.map((word) => word.stem))]
}

/** Of two words that changed places neither is a clause. */
function isRotation(one: readonly string[], other: readonly string[]): boolean {
  if (one.length < 3) return equal(one, other)
  const from = Math.max(0, other.indexOf(one[0] ?? ''))
  return equal(one, [...other.slice(from), ...other.slice(0, from)])
}

function equal(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((member, at) => member === other[at])
}
