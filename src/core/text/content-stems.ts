/** Stems of a question, for sharing one answer between several wordings. */

/**
 * Maps a word of a question, as written, to its stem.
 *
 * @param before the previous word, `''` for the first
 * @param after the next word, `''` for the last
 * @returns the stem; `''` if the word is ignored
 */
export type WordReader = (word: string, before: string, after: string) => string

/** Final punctuation of a question, only after a letter or digit; otherwise it may be a symbol that is asked about. */
const END = /(?<=[\p{L}\p{N}\p{M}])[.?…]+$/u
/** A first word capitalised only because it is first. */
const CAPITALISED = /^\p{Lu}\p{Ll}*$/u

/**
 * The stems of a question, in order, without its final punctuation. The first word is lower-cased unless it has further
 * capitals. Symbols, and punctuation between words, belong to the adjacent word.
 *
 * @param question normalised (`normaliseQuestion`)
 */
export function contentStems(question: string, read: WordReader): readonly string[] {
  const words = question.replace(END, '').split(/\s+/)
  const [first = ''] = words
  if (CAPITALISED.test(first)) words[0] = first.toLowerCase()
  return words.map((word, at) => read(word, words[at - 1] ?? '', words[at + 1] ?? '')).filter((stem) => stem !== '')
}
