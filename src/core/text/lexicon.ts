/**
 * The collection lexicon: number and length of a collection's chunks, and the document frequency of each term. It makes
 * scores comparable between questions.
 */
import { RagGateError } from '../../errors.ts'
import { type Language, nameOfLanguage } from './language.ts'
import { terms } from './terms.ts'

/** Term counts of chunks. */
export interface CountedTerms {
  /** Number of chunks. */
  readonly chunkCount: number
  /** Number of terms in all chunks, including repetitions. */
  readonly termCount: number
  /** Number of chunks that contain a term, by term; absent means 0. */
  readonly documentFrequency: ReadonlyMap<string, number>
}

/** Term statistics of a collection. Immutable. */
export interface Lexicon extends CountedTerms {
  /** Name of the language whose terms were counted (`nameOfLanguage`); empty for the empty lexicon. */
  readonly language: string
}

/** The part of a lexicon that signals read. */
export interface TermCounts {
  readonly chunkCount: number
  readonly termCount: number
  readonly documentFrequency: Pick<ReadonlyMap<string, number>, 'get'>
}

/** The empty lexicon: every term is equally rare. */
export const EMPTY_LEXICON: Lexicon = Object.freeze({
  language: '',
  chunkCount: 0,
  termCount: 0,
  documentFrequency: new Map(),
})

/** Builds the lexicon of chunk texts. @param language the policy's language, or none */
export function buildLexicon(texts: Iterable<string>, language: Language | undefined): Lexicon {
  const found = Array.from(texts, (text) => terms(text, language))
  return found.length === 0 ? EMPTY_LEXICON : { language: nameOfLanguage(language), ...countTerms(found) }
}

/** Counts terms, given as one list per chunk. */
export function countTerms(chunks: Iterable<readonly string[]>): CountedTerms {
  const documentFrequency = new Map<string, number>()
  let chunkCount = 0
  let termCount = 0
  for (const found of chunks) {
    chunkCount++
    termCount += found.length
    for (const term of new Set(found)) documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1)
  }
  return { chunkCount, termCount, documentFrequency }
}

/**
 * Updates a lexicon for added and removed chunks. Removed chunks must have been counted before; counts never fall below 0.
 *
 * @throws `lexicon_unreadable` when the languages differ
 */
export function updateLexicon(base: Lexicon, change: { readonly added: Lexicon; readonly removed: Lexicon }): Lexicon {
  const [language = '', another] = new Set([base, change.added, change.removed].flatMap((each) => each.language || []))
  if (another !== undefined) throw unreadable(`of ${language}, and not of ${another}`)
  const documentFrequency = new Map(base.documentFrequency)
  for (const [term, count] of change.added.documentFrequency) {
    documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + count)
  }
  for (const [term, count] of change.removed.documentFrequency) {
    const left = (documentFrequency.get(term) ?? 0) - count
    if (left > 0) documentFrequency.set(term, left)
    else documentFrequency.delete(term)
  }
  const chunkCount = Math.max(0, base.chunkCount + change.added.chunkCount - change.removed.chunkCount)
  return {
    language: chunkCount === 0 ? '' : language,
    chunkCount,
    termCount: Math.max(0, base.termCount + change.added.termCount - change.removed.termCount),
    documentFrequency,
  }
}

/**
 * Inverse document frequency, with +1 inside the logarithm so that it is positive.
 *
 * @returns ln(1 + (N − n + .5) / (n + .5)); ln 2 for every term of the empty lexicon
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.3
 */
export function inverseDocumentFrequency(lexicon: TermCounts, term: string): number {
  const holding = Math.min(lexicon.documentFrequency.get(term) ?? 0, lexicon.chunkCount)
  return Math.log(1 + (lexicon.chunkCount - holding + 0.5) / (holding + 0.5))
}

/** Sum of the idf of a question's distinct terms. */
export function idfMass(lexicon: Lexicon, questionTerms: Iterable<string>): number {
  let mass = 0
  for (const term of new Set(questionTerms)) mass += inverseDocumentFrequency(lexicon, term)
  return mass
}

/** Mean number of terms per chunk; 1 for an empty lexicon, so that one can divide by it. */
export function meanChunkLength(lexicon: TermCounts): number {
  return lexicon.chunkCount > 0 && lexicon.termCount > 0 ? lexicon.termCount / lexicon.chunkCount : 1
}

/**
 * Encodes a lexicon as text: a header line, then a line per document frequency with its terms. Equal lexicons have equal
 * encodings.
 */
export function encodeLexicon(lexicon: Lexicon): string {
  const byFrequency = new Map<number, string[]>()
  for (const [term, count] of lexicon.documentFrequency) {
    const group = byFrequency.get(count)
    if (group === undefined) byFrequency.set(count, [term])
    else group.push(term)
  }
  const lines = [...byFrequency].sort(([a], [b]) => a - b).map(([count, group]) => `${count} ${group.sort().join(' ')}`)
  return [`lexicon/2 ${lexicon.language || '-'} ${lexicon.chunkCount} ${lexicon.termCount}`, ...lines].join('\n')
}

/**
 * Decodes the text of `encodeLexicon`.
 *
 * @throws `lexicon_unreadable` for any other text
 */
export function decodeLexicon(text: string): Lexicon {
  const [head = '', ...lines] = text.split('\n')
  const counts = /^lexicon\/2 (-|[a-z\d][a-z\d-]*) (\d+) (\d+)$/.exec(head)
  if (counts === null) {
    throw unreadable('not in a form this version can read')
  }
  const documentFrequency = new Map<string, number>()
  for (const line of lines) {
    const [count = '', ...group] = line.split(' ')
    const frequency = Number(count)
    if (!Number.isInteger(frequency) || frequency < 1 || group.length === 0 || group.includes('')) {
      throw unreadable('damaged')
    }
    for (const term of group) documentFrequency.set(term, frequency)
  }
  const [, language = '', chunkCount, termCount] = counts
  return {
    language: language === '-' ? '' : language,
    chunkCount: Number(chunkCount),
    termCount: Number(termCount),
    documentFrequency,
  }
}

function unreadable(how: string): RagGateError {
  return new RagGateError('lexicon_unreadable', `The collection lexicon is ${how}`)
}
