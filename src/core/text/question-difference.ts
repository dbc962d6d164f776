/**
 * What tells two questions apart that share most of their words: the guard before an answer to one is sent to another.
 * It reads English; a question without an English question word differs from every other.
 */
import { stem } from './stem.ts'
import { isStopWord } from './words.ts'

/** What the answer to one question may not be sent to another for. */
export type QuestionDifference = 'question-word' | 'number' | 'symbol' | 'negation' | 'opposite' | 'name' | 'order'

/** A word, a number or a run of symbols as it stands in a question. */
interface Word {
  /** In lower case. */
  readonly text: string
  readonly stem: string
  /** Written with a capital where none is due, with digits in it, or a letter alone: it names something. */
  readonly isName: boolean
  readonly isSymbol: boolean
  /** In digits where it is a number, after `#` where it is an ordinal. */
  readonly number: string | undefined
}

const listOf = (list: string): readonly string[] => list.trim().split(/\s+/)
const setOf = (list: string): ReadonlySet<string> => new Set(listOf(list))
const numbered = (list: string, from: number): readonly (readonly [string, string])[] =>
  listOf(list).map((word, at) => [word, String(from + at)])

const QUESTION_WORDS = setOf('who what when where why how')
/** Words that ask the same as another. */
const ASKS_LIKE: ReadonlyMap<string, string> = new Map([
  ['which', 'what'],
  ['whose', 'what'],
  ['whom', 'who'],
])
/** What after `how` makes another question of it. */
const MEASURES = setOf('many much long often far old big large tall high deep fast soon late')

const NEGATIONS = setOf(`
  not no never none nobody nothing nowhere neither nor without except non hardly barely scarcely unless instead`)
/** Written without the apostrophe, or with a space for it, they negate as well: "dont", "can t". */
const NEGATED =
  /\b(ai|are|ca|could|did|do|does|had|has|have|is|might|must|need|sha|should|was|were|wo|would)n['’ʼ´` ]?t\b/giu

const NUMBERS: ReadonlyMap<string, string> = new Map([
  ...numbered(
    `two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
     twenty`,
    2,
  ),
  ...numbered('ii iii iv', 2),
  ...numbered('vi vii viii ix', 6),
  ...numbered('xi xii xiii xiv xv xvi xvii xviii xix xx', 11),
  ...listOf(`
    zero thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen once twice thrice half
    quarter single double triple quadruple hundredth thousandth millionth`).map((word) => [word, word] as const),
])
const ORDINALS: ReadonlyMap<string, string> = new Map([
  ...numbered(
    `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
     sixteenth seventeenth eighteenth nineteenth twentieth`,
    1,
  ),
  ...listOf('thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth').map((word) => [word, word] as const),
])

/** Adjectives that compare: `older` and `oldest` are as much the opposite of others as `old`. */
const COMPARED = listOf(`
  old young new late early long short large small high low near far fast slow strong weak rich poor hot cold warm cool wet
  dry light dark heavy easy hard simple deep shallow wide narrow thick thin tall cheap safe clean dirty full empty`)

/** Words whose opposite is another word, and units: where only one question has one of them, it may ask something else. */
const OPPOSITES: ReadonlySet<string> = new Set(
  [
    ...COMPARED.flatMap(grades),
    ...listOf(`
      most least more less fewer last before after above below increase decrease fall north south east west
      northern southern eastern western start end stop accept reject deny allow forbid include exclude win lose open close
      good bad better worse best worst max maximum minimum same different inside outside internal external male female man
      woman men women husband wife father mother son daughter boy girl brother sister king queen he him his she her hers
      buy sell import export love hate friend enemy true false right wrong left legal illegal public private create destroy
      build demolish add remove join leave enter exit arrive depart give take gain loss difficult complex expensive support
      oppose against ancient modern positive negative active passive alive dead birth death born die majority minority
      superior inferior success failure succeed fail victory defeat encourage discourage agree disagree always often
      rarely expand shrink shorten extend up down top bottom front back major minor upper lower summer winter spring autumn
      monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
      october november december day night attack defend war peace push pull rural urban enable disable connect disconnect
      install uninstall upgrade downgrade encrypt decrypt lock unlock approve disapprove lack avoid prevent decline only
      all some every other by from out off or both either since until must optional mandatory
      second minute hour week month year decade century percent degree celsius fahrenheit kelvin dollar euro cent
      millimeter centimeter meter kilometer inch foot yard mile gram kilogram milligram ounce pound tonne liter milliliter
      gallon byte kilobyte megabyte gigabyte terabyte kilowatt megawatt kilohertz megahertz gigahertz ms pm bc ad bce`),
  ].map(stem),
)

/** By their stems: other words and other forms of words with an opposite, after the first of their line. */
const ASK_THE_SAME: ReadonlyMap<string, string> = new Map(
  `start begin began begun commence
   end finish
   increase rise rose risen
   fall fell fallen
   forbid forbade forbidden ban prohibit
   allow permit
   reject refuse
   below under
   above over
   large big
   larger bigger
   largest biggest
   little few
   fast quick
   faster quicker
   fastest quickest
   far distant
   last latest
   often frequently
   rarely seldom
   other another
   every each
   win won
   lose lost
   buy bought purchase
   sell sold
   build built
   leave left
   give gave given
   take took taken
   die died
   mother mom mum
   father dad
   millimeter millimetre mm
   centimeter centimetre cm
   meter metre
   kilometer kilometre km
   foot feet ft
   pound lb
   ounce oz
   milligram mg
   kilogram kg
   milliliter millilitre ml
   liter litre
   kilobyte kb
   megabyte mb
   gigabyte gb
   terabyte tb
   kilowatt kw
   megawatt mw
   kilohertz khz
   megahertz mhz
   gigahertz ghz`
    .split('\n')
    .flatMap((line) => {
      const [first = '', ...others] = listOf(line).map(stem)
      return others.map((other) => [other, first] as const)
    }),
)

/** What turns a word into its opposite. */
const NEGATING_PREFIX = /^(?:un|in|im|il|ir|dis|non|mis|anti|de|counter)/

/**
 * What tells the second question from the first, of all that is looked for the first found: another question word; other
 * numbers or ordinals, or the same in another order; other symbols (`C`, `C#`; `5`, `-5`, `5 %`); more negations; a word with
 * an opposite, or a unit, that only one has; a name that only one has; or words that both have in another order. A clause
 * that moved to the front is no other order.
 *
 * @param one normalised, as the other is (`normaliseQuestion`)
 * @returns `undefined` when nothing of this tells them apart; they may differ in other words
 */
export function questionDifference(one: string, other: string): QuestionDifference | undefined {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  const asked = questionWords(a)
  if (asked.length === 0 || !equal(asked, questionWords(b))) return 'question-word'
  if (!equal(numbers(a), numbers(b))) return 'number'
  if (!equal(symbols(a), symbols(b))) return 'symbol'
  if (a.filter(negates).length !== b.filter(negates).length) return 'negation'
  const [inA, inB] = [stemsOf(a), stemsOf(b)]
  if (turnsAround(a, inB) || turnsAround(b, inA)) return 'opposite'
  if (namesBeyond(a, inB) || namesBeyond(b, inA)) return 'name'
  return isRotation(sequence(a, inB), sequence(b, inA)) ? undefined : 'order'
}

/** A word with the decimals or the parts of a version behind it, or what stands between two words but for spaces. */
const WORD_OR_MARKS = /([\p{L}\p{N}\p{M}]+(?:\.\p{N}+)*)|[^\p{L}\p{N}\p{M}\s]+/gu
/** `U.S.` is `US`. */
const INITIALS = /(?<![\p{L}\p{N}])(?:\p{L}\.){2,}/gu
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u

function wordsOf(question: string): readonly Word[] {
  const spelled = question
    .replaceAll(/\bcannot\b/gi, 'can not')
    .replaceAll(NEGATED, '$1 not')
    .replaceAll(/(?<=\p{L})['’ʼ´](?:s|d|m|ll|re|ve)\b/giu, '')
    .replaceAll(/(?<=\d),(?=\d{3})/g, '')
    .replaceAll(INITIALS, (initials) => initials.replaceAll('.', ''))
    .replaceAll(/[\p{Pd}\u2212]/gu, '-')
  const found: Word[] = []
  for (const { 0: written, 1: isWord, index } of spelled.matchAll(WORD_OR_MARKS)) {
    const end = index + written.length
    if (isWord !== undefined) found.push(wordOf(written, found.at(-1), isLast(spelled, end)))
    else {
      const text = symbolsOf(written, spelled.charAt(index - 1), spelled.charAt(end))
      if (text !== '') found.push({ text, stem: text, isName: false, isSymbol: true, number: undefined })
    }
  }
  return found
}

function isLast(question: string, from: number): boolean {
  return !WORD_CHARACTER.test(question.slice(from))
}

function wordOf(written: string, before: Word | undefined, isLast: boolean): Word {
  const text = written.toLowerCase()
  const mixed = /\p{L}.*\p{Lu}/u.test(written) || (/\p{L}/u.test(written) && /\p{N}/u.test(written))
  const isCapital = before !== undefined && /^\p{Lu}/u.test(written)
  const isName = isLetter(text) ? namesAsLetter(text, isLast || before?.isName === true) : mixed || isCapital
  return { text, stem: senseOf(text), isName, isSymbol: false, number: numberOf(text) }
}

/** The stem, of words that ask the same that of one of them. */
function senseOf(text: string): string {
  const stemmed = stem(text)
  return ASK_THE_SAME.get(stemmed) ?? stemmed
}

/** `big`, `bigger`, `biggest`. */
function grades(word: string): readonly string[] {
  const root = word
    .replace(/(?<=[^aeiou][aeiou])[dgnt]$/, '$&$&')
    .replace(/y$/, 'i')
    .replace(/e$/, '')
  return [word, `${root}er`, `${root}est`]
}

function isLetter(text: string): boolean {
  return /^\p{L}$/u.test(text)
}

/** "Plan b" and "vitamin C" name something; `a` and `i` do after a name, or at the end: "World War I", "plan a". */
function namesAsLetter(letter: string, isAfterNameOrLast: boolean): boolean {
  return (letter !== 'a' && letter !== 'i') || isAfterNameOrLast
}

/** An ordinal marked as one; `undefined` for any other word. `one` is a pronoun more often than a number. */
function numberOf(text: string): string | undefined {
  const ordinal = ORDINALS.get(text) ?? /^(\d+)(?:st|nd|rd|th)$/.exec(text)?.[1]
  if (ordinal !== undefined) return `#${ordinal}`
  return NUMBERS.get(text) ?? (/^\p{N}/u.test(text) ? text : undefined)
}

/** What encloses or quotes. */
const QUOTES = /["'“”„‟‘’‚‛«»‹›`´]/gu

/**
 * What is left of marks without those that punctuate: `c++?` has `++`, `(-5)` has `-`, and `well-known` has none.
 *
 * @param before the character before them, `''` at the start
 * @param after the one behind them, `''` at the end
 */
function symbolsOf(marks: string, before: string, after: string): string {
  const [follows, leads] = [WORD_CHARACTER.test(before), WORD_CHARACTER.test(after)]
  const bare = marks.replace(QUOTES, '').replaceAll('\u2044', '/')
  if (follows && leads) return bare.replace(/[()]/g, '').replace(/^(?:-{1,3}|[.,;:!?…]+)$/, '')
  if (follows) return bare.replace(/[.,;:!?…()]+$/, '')
  if (leads) return bare.replace(/^(?:[(¿¡]|\.{2,}|…)+/, '')
  return after === '' ? bare.replace(/[.?!…)]+$/, '') : bare.replace(/^(?:[.,;:()…]|-{1,3}|\.{3})$/, '')
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

function numbers(words: readonly Word[]): readonly string[] {
  return words.flatMap(({ number }) => number ?? [])
}

/** Among the numbers, whose signs and units they are. */
function symbols(words: readonly Word[]): readonly string[] {
  return words.flatMap(({ number, isSymbol, text }) => number ?? (isSymbol ? text : []))
}

function negates({ text }: Word): boolean {
  return NEGATIONS.has(text)
}

function stemsOf(words: readonly Word[]): ReadonlySet<string> {
  return new Set(words.map((word) => word.stem))
}

/** Whether a word that the other question does not have turns this one around. */
function turnsAround(words: readonly Word[], others: ReadonlySet<string>): boolean {
  return words.some((word) => {
    if (others.has(word.stem) || word.number !== undefined) return false
    const rest = word.text.replace(NEGATING_PREFIX, '')
    return OPPOSITES.has(word.stem) || (rest !== word.text && others.has(senseOf(rest)))
  })
}

function namesBeyond(words: readonly Word[], others: ReadonlySet<string>): boolean {
  return words.some((word) => word.isName && word.number === undefined && !others.has(word.stem))
}

/**
 * In order: the words of a question that the other has too, once each but for letters alone, those that carry no evidence
 * left out; and all numbers, symbols and negations, which both have.
 */
function sequence(words: readonly Word[], others: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  const seen = new Set<string>()
  for (const word of words) {
    const { text, stem, number } = word
    const counts = others.has(stem) && (!isStopWord(text) || OPPOSITES.has(stem)) && (isLetter(text) || !seen.has(stem))
    if (number !== undefined || word.isSymbol) found.push(number ?? text)
    else if (negates(word)) found.push('not')
    else if (counts) found.push(stem)
    seen.add(stem)
  }
  return found
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
