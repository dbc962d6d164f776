/** How a language is read: what a policy brings along. Without one every rule knows scripts, words and marks alone. */

/** A question taken apart. */
export interface QuestionParts {
  /** The question without greetings, thanks and talk about the asking; the question itself where nothing is left. */
  readonly bare: string
  /** Its sentences and clauses, in order; 1 to 16. One part is `bare` itself. */
  readonly parts: readonly string[]
  /** Whether sentences were left out of both that only state what concerns who asks. @default none was */
  readonly states?: boolean
}

/** A language. Pure, as deciding is: the same words always read alike. */
export interface Language {
  /** Names it and its lists of words: lower-case letters, digits and hyphens. Lexicons and policies note it. */
  readonly name: string
  /** Whether a word, in lower case, carries no evidence of its own. */
  readonly isStopWord: (word: string) => boolean
  /** What the forms of a word, in lower case, have in common. One of three letters and up begins with the word's first two. */
  readonly stem: (word: string) => string
  /**
   * Takes a question apart.
   *
   * @param question normalised (`normaliseQuestion`)
   */
  readonly partsOf: (question: string) => QuestionParts
  /** Whether a sentence with this word, in lower case, asks: question words, and verbs that stand before a subject. */
  readonly asks: (word: string) => boolean
  /** Whether a word, in lower case with accents folded, is a sentence without its spaces. */
  readonly isRunTogether: (word: string) => boolean
  /** Whether a term says yes: it stands in answers and in no passage. */
  readonly isAssent: (term: string) => boolean
}

/** Name of a language; `neutral` where there is none. */
export function nameOfLanguage(language: Language | undefined): string {
  return language?.name ?? 'neutral'
}
