/**
 * The Porter stemmer: English words to their stems, so that `retries` finds `retry`.
 *
 * @see M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the two rules that he changed later
 *   (`bli`, `logi`)
 */

const A = 97
const Y = 121
/** a, e, i, o and u as bits, a the lowest. */
const VOWELS = (1 << 0) | (1 << 4) | (1 << 8) | (1 << 14) | (1 << 20)

const isVowelAt = (word: string, at: number): boolean => {
  const code = word.charCodeAt(at)
  if (code === Y) return at > 0 && !isVowelAt(word, at - 1)
  return ((VOWELS >> (code - A)) & 1) === 1
}

/** The paper's m: how many vowel-consonant sequences the text holds. */
function measureOf(word: string): number {
  let sequences = 0
  let previous = false
  for (let at = 0; at < word.length; at++) {
    const vowel = isVowelAt(word, at)
    if (previous && !vowel) sequences++
    previous = vowel
  }
  return sequences
}

const hasVowel = (word: string): boolean => {
  for (let at = 0; at < word.length; at++) if (isVowelAt(word, at)) return true
  return false
}

const endsDouble = (word: string): boolean => word.at(-1) === word.at(-2) && !isVowelAt(word, word.length - 1)

/** The paper's *o: consonant, vowel, consonant at the end, the last not w, x or y. */
const endsShort = (word: string): boolean => {
  const last = word.length - 1
  return (
    last >= 2 &&
    !isVowelAt(word, last - 2) &&
    isVowelAt(word, last - 1) &&
    !isVowelAt(word, last) &&
    !'wxy'.includes(word[last]!)
  )
}

/** Suffix and its replacement, longest first where one ends in another. */
type Rules = readonly (readonly [suffix: string, replacement: string])[]

/** Rules by the letter before the last, `a` first, as Porter's own program has them: few are left to try. */
const byLetterBeforeLast = (rules: Rules): readonly Rules[] =>
  Array.from({ length: 26 }, (_, letter) =>
    rules.filter(([suffix]) => suffix.charCodeAt(suffix.length - 2) - A === letter),
  )

const STEP_2 = byLetterBeforeLast([
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
  ['bli', 'ble'],
])

const STEP_3 = byLetterBeforeLast([
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
])

const STEP_4 = byLetterBeforeLast([
  ['ement', ''],
  ['ance', ''],
  ['ence', ''],
  ['able', ''],
  ['ible', ''],
  ['ment', ''],
  ['ant', ''],
  ['ent', ''],
  ['ion', ''],
  ['ism', ''],
  ['ate', ''],
  ['iti', ''],
  ['ous', ''],
  ['ive', ''],
  ['ize', ''],
  ['al', ''],
  ['er', ''],
  ['ic', ''],
  ['ou', ''],
])

/** Applies the first rule whose suffix ends the word, if what is left of it measures more than `above`. */
function replaceSuffix(word: string, rules: readonly Rules[], above: number): string {
  for (const [suffix, replacement] of rules[word.charCodeAt(word.length - 2) - A] ?? []) {
    if (!word.endsWith(suffix)) continue
    const stem = word.slice(0, -suffix.length)
    if (suffix === 'ion' && !/[st]$/.test(stem)) return word
    return measureOf(stem) > above ? stem + replacement : word
  }
  return word
}

function removePlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function removePast(word: string): string {
  if (word.endsWith('eed')) return measureOf(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const suffix = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0
  const stem = word.slice(0, word.length - suffix)
  if (suffix === 0 || !hasVowel(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1)
  return measureOf(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

function tidyEnd(word: string): string {
  let tidy = word
  if (tidy.endsWith('e')) {
    const stem = tidy.slice(0, -1)
    const m = measureOf(stem)
    if (m > 1 || (m === 1 && !endsShort(stem))) tidy = stem
  }
  return tidy.endsWith('ll') && measureOf(tidy) > 1 ? tidy.slice(0, -1) : tidy
}

/** Lower-case ASCII letters that end as some rule asks for: most words are their own stems. */
const MAY_CHANGE = /^[a-z]+(?:[seyi]|ed|ing|al|ful|ll|er|or|ic|ou|ion|ism|[ae]nt)$/

/** Stem of one word in lower-case ASCII letters; anything else, and words of one or two letters, come back as they are. */
export function stem(word: string): string {
  if (word.length < 3 || !MAY_CHANGE.test(word)) return word
  let stemmed = removePast(removePlural(word))
  if (stemmed.endsWith('y') && hasVowel(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`
  stemmed = replaceSuffix(stemmed, STEP_2, 0)
  stemmed = replaceSuffix(stemmed, STEP_3, 0)
  return tidyEnd(replaceSuffix(stemmed, STEP_4, 1))
}
