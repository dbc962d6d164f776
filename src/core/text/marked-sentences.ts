/** The sentences of a question by its marks, in any language. */
import { isAscii } from './ascii.ts'
import type { QuestionParts } from './language.ts'
import { sentences } from './sentences.ts'
import { words } from './words.ts'

/** Ends a sentence in every context: a question asked, a line, a dash between spaces, a colon. */
const BETWEEN_SENTENCES =
  /(?<=[?!؟？！])\s+(?=[^\s?!؟？！)\]"'”’»])|(?<=[\p{L}\p{N})][?؟？！])(?=[\p{L}\p{N}])|(?<=[\u3041-\u9fff]{3})\s+(?=[\u3041-\u9fff]{3})|[;:]\s|\s[-–—|>*•·]+\s/u
/** The same of ASCII, as `isAscii` says why. */
const BETWEEN_ASCII_SENTENCES = new RegExp(BETWEEN_SENTENCES.source.replaceAll('\\p{L}\\p{N}', 'A-Za-z\\d'))
/** A sentence of its own: a quotation or a bracket as long as one, and a question in brackets. */
const ENCLOSED = /[("“„«[]([^()"“”„«»[\]]{40,})[)"”“»\]]|[([]([^()[\]]*\?)\s*[)\]]/g
/** Of more parts the smallest neighbours are joined: all of a question is measured. */
const MOST_PARTS = 16
/** Neighbours shorter than this, in characters, are joined first. */
const SHORTEST_JOINED = 20

/** A text in which what stands in quotation marks or brackets, and is as long as a sentence or asks, stands between marks. */
export function opened(text: string): string {
  return text.replaceAll(ENCLOSED, '; $1$2; ')
}

/**
 * The sentences of a text as its marks part them.
 *
 * @param further parts each as a language does besides. @default nothing is
 * @returns none without a word
 */
export function markedSentences(
  text: string,
  further: (sentence: string) => readonly string[] = (sentence) => [sentence],
): string[] {
  return sentences(text)
    .flatMap(further)
    .flatMap((sentence) => sentence.split(isAscii(sentence) ? BETWEEN_ASCII_SENTENCES : BETWEEN_SENTENCES))
    .map((sentence) => sentence.trim())
    .filter((sentence) => words(sentence).length > 0)
}

/** At most sixteen parts: long ones stay alone for as long as shorter ones can be joined. */
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

/** A question taken apart by its marks alone: for who knows no language. */
export function partsAtMarks(question: string): QuestionParts {
  const parts = markedSentences(opened(question))
  return { bare: question, parts: parts.length < 2 ? [question] : joinSmallest(parts) }
}
