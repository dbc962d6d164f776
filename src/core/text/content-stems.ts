/** What of a question's wording counts, where one answer may serve several wordings. */

/**
 * Reads a word of a question as it is written.
 *
 * @param before the word before it, `''` for the first
 * @param after the word behind it, `''` for the last
 * @returns what the word counts as: its stem; `''` where it counts for nothing
 */
export type WordReader = (word: string, before: string, after: string) => string

/** The marks that end a question. Behind anything but a letter or a digit they may be a symbol that is asked about. */
const END = /(?<=[\p{L}\p{N}\p{M}])[.?…]+$/u
/** A first word whose capital says nothing. */
const CAPITALISED = /^\p{Lu}\p{Ll}*$/u

/**
 * The stems of a question in their order. Without its last marks it is read word by word; the first one counts in small letters,
 * unless it has further capitals. Symbols, and marks between words, belong to the word that they are written with.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function contentStems(question: string, read: WordReader): readonly string[] {
  const words = question.replace(END, '').split(' ')
  const [first = ''] = words
  if (CAPITALISED.test(first)) words[0] = first.toLowerCase()
  return words.map((word, at) => read(word, words[at - 1] ?? '', words[at + 1] ?? '')).filter((stem) => stem !== '')
}
