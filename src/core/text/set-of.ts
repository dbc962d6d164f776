/** A set of words from a space-separated list. */
export function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}
