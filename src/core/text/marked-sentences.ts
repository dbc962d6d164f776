/** Splits a question into sentences at punctuation, in any language. */
import type { QuestionParts } from './language.ts'
import { sentences } from './sentences.ts'
import { words } from './words.ts'

/**
 * Ends of sentences in every context: question and exclamation marks, colons, semicolons, dashes and bullets between spaces, and
 * spaces within Chinese and Japanese. Ranges stand for the letters, because Unicode classes take milliseconds to compile in a
 * new isolate.
 */
const BETWEEN_SENTENCES =
  /(?<=[?!؟？！])\s+(?=[^\s?!؟？！)\]"'”’»])|(?<=[A-Za-z\d\u00c0-\u1fff\u3041-\ufeff)][?؟？！])(?=[A-Za-z\d\u00c0-\u1fff\u3041-\ufeff])|(?<=[\u3041-\u9fff]{3})\s+(?=[\u3041-\u9fff]{3})|[;:]\s|\s[-–—|>*•·]+\s/
/** Enclosed sentences: quotations and brackets of at least 40 characters, and questions in brackets. */
const ENCLOSED = /[("“„«[]([^()"“”„«»[\]]{40,})[)"”“»\]]|[([]([^()[\]]*\?)\s*[)\]]/g
/** Most parts. If there are more, the smallest neighbours are joined, so that the whole question is measured. */
const MOST_PARTS = 16
/** Neighbours shorter than this, in characters, are joined first. */
const SHORTEST_JOINED = 20

/** Separates enclosed sentences (`ENCLOSED`) from the text around them by semicolons. */
export function opened(text: string): string {
  return text.replaceAll(ENCLOSED, '; $1$2; ')
}

/**
 * Splits a text into sentences at its punctuation.
 *
 * @param further splits each sentence further by rules of a language. @default no further splitting
 * @returns the sentences that contain a word
 */
export function markedSentences(
  text: string,
  further: (sentence: string) => readonly string[] = (sentence) => [sentence],
): string[] {
  return sentences(text)
    .flatMap(further)
    .flatMap((sentence) => sentence.split(BETWEEN_SENTENCES))
    .map((sentence) => sentence.trim())
    .filter((sentence) => words(sentence).length > 0)
}

/** Joins neighbours until there are at most sixteen parts, the shortest first. */
export function joinSmallest(parts: readonly string[]): readonly string[] {
  let joined = parts
  for (let longest = SHORTEST_JOINED; joined.length > MOST_PARTS; longest *= 1.25) {
    joined = joined.reduce<string[]>((kept, part) => {
      const last = kept.at(-1)
      if (last === undefined || last.length >= longest || part.length >= longest) kept.push(part)
      else kept[kept.length - 1] = `${last} ${part}`
      return kept
    }, [])
  }
  return joined
}

/** Splits a question by its punctuation only, for policies without a language. */
export function partsAtMarks(question: string): QuestionParts {
  const parts = markedSentences(opened(question))
  return { bare: question, parts: parts.length < 2 ? [question] : joinSmallest(parts) }
}
