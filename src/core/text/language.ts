/** Interface of a language, which a policy may contain. Without one, text processing knows only scripts, words and punctuation. */

/** The parts of a question. */
export interface QuestionParts {
  /** The question without greetings, thanks and small talk; the question itself if nothing would be left. */
  readonly bare: string
  /** Its sentences and clauses, in order; 1 to 16. One part is `bare` itself. */
  readonly parts: readonly string[]
  /** Whether statements, remarks or numbers were left out of both; retrieval keeps them, as they may name the topic. @default no */
  readonly states?: boolean
}

/** A language. All functions are pure. */
export interface Language {
  /** Name of the language and version of its word lists: lower-case letters, digits and hyphens. Recorded in lexicons and policies. */
  readonly name: string
  /** Whether a lower-case word is a stop word. */
  readonly isStopWord: (word: string) => boolean
  /** What the forms of a word, in lower case, have in common. One of three letters and up begins with the word's first two. */
  readonly stem: (word: string) => string
  /**
   * Splits a question into parts.
   *
   * @param question normalised (`normaliseQuestion`)
   */
  readonly partsOf: (question: string) => QuestionParts
  /** Whether a sentence with this word, in lower case, asks: question words, and verbs that stand before a subject. */
  readonly asks: (word: string) => boolean
  /** Whether a word, in lower case with accents folded, is a sentence without its spaces. */
  readonly isRunTogether: (word: string) => boolean
  /** Whether a term means yes: it occurs in answers, but not in passages. */
  readonly isAssent: (term: string) => boolean
}

/** Name of a language; `neutral` where there is none. */
export function nameOfLanguage(language: Language | undefined): string {
  return language?.name ?? 'neutral'
}
