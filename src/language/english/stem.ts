/**
 * The Porter stemmer: English words to their stems, so that `retries` finds `retry`.
 *
 * @see M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the two rules that he changed later
 *   (`bli`, `logi`)
 */

/** The paper's C and V: runs of consonants and of vowels. y is a vowel only after a consonant. */
const CONSONANTS = '[^aeiou][^aeiouy]*'
const VOWELS = '[aeiouy][aeiou]*'
const START = `^(?:${CONSONANTS}|(?=[aeiou]))`

/** The paper's *v*: the stem contains a vowel. */
const HAS_VOWEL = new RegExp(`${START}[aeiouy]`)
/** The paper's m, the number of runs of vowels followed by consonants, is above 0, and above 1. */
const ABOVE_0 = new RegExp(`${START}${VOWELS}${CONSONANTS}`)
const ABOVE_1 = new RegExp(`${START}(?:${VOWELS}${CONSONANTS}){2}`)
/** m is 1, and the paper's *o: it ends in consonant, vowel, consonant, the last of which is not w, x or y. */
const SHORT = new RegExp(`^${CONSONANTS}[aeiouy][^aeiouwxy]$`)

/** Replacements of suffixes. */
type Replacements = Readonly<Record<string, string>>

const STEP_2: Replacements = {
  ational: 'ate',
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  izer: 'ize',
  bli: 'ble',
  alli: 'al',
  entli: 'ent',
  eli: 'e',
  ousli: 'ous',
  ization: 'ize',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  iveness: 'ive',
  fulness: 'ful',
  ousness: 'ous',
  aliti: 'al',
  iviti: 'ive',
  biliti: 'ble',
  logi: 'log',
}
const STEP_3: Replacements = { icate: 'ic', ative: '', alize: 'al', iciti: 'ic', ical: 'ic', ful: '', ness: '' }

/** Match the longest of several endings, because it begins first. */
const ENDING_2 = new RegExp(`(?:${Object.keys(STEP_2).join('|')})$`)
const ENDING_3 = new RegExp(`(?:${Object.keys(STEP_3).join('|')})$`)
const ENDING_4 = /(?:al|[ae]nce|er|ic|[ai]ble|ant|e?ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/

/** Replaces the ending of a word if the stem before it has a sufficient measure m. */
function replaceEnding(word: string, ending: RegExp, enough: RegExp, replacements: Replacements): string {
  const stem = word.replace(ending, '')
  return stem !== word && enough.test(stem) ? stem + (replacements[word.slice(stem.length)] ?? '') : word
}

function removePast(word: string): string {
  if (word.endsWith('eed')) return ABOVE_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word
  const stem = word.replace(/(?:ed|ing)$/, '')
  if (stem === word || !HAS_VOWEL.test(stem)) return word
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1)
  return SHORT.test(stem) ? `${stem}e` : stem
}

function tidyEnd(word: string): string {
  const stem = word.replace(/e$/, '')
  const tidy = ABOVE_0.test(stem) && !SHORT.test(stem) ? stem : word
  return tidy.endsWith('ll') && ABOVE_1.test(tidy) ? tidy.slice(0, -1) : tidy
}

/** Words whose ending some rule applies to: most words are their own stems. */
const MAY_CHANGE = /^[a-z]+(?:[seyi]|ed|ing|al|ful|ll|er|or|ic|ou|ion|ism|[ae]nt)$/

/** Stem of a word of lower-case ASCII letters; other words, and those of one or two letters, are returned unchanged. */
export function stem(word: string): string {
  if (word.length < 3 || !MAY_CHANGE.test(word)) return word
  let stemmed = removePast(word.replace(/(?<=ss|i)es$|(?<!s)s$/, ''))
  if (HAS_VOWEL.test(stemmed.slice(0, -1))) stemmed = stemmed.replace(/y$/, 'i')
  stemmed = replaceEnding(stemmed, ENDING_2, ABOVE_0, STEP_2)
  stemmed = replaceEnding(stemmed, ENDING_3, ABOVE_0, STEP_3)
  return tidyEnd(replaceEnding(stemmed, ENDING_4, ABOVE_1, {}))
}
