/** A list of words, with a space between them. */
export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}
