/** A question and its evidence, read once: every signal measured from text looks at this. */
import { type Emphasis, emphasis, PLAIN } from '../emphasis.ts'
import { englishRelatives } from '../english.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { BM25_K1 } from '../text/bm25.ts'
import { inverseDocumentFrequency, meanChunkLength, type TermCounts } from '../text/lexicon.ts'
import { terms, type TermReader, PLAIN_TERM_READER } from '../text/terms.ts'

/** How many chunks are read, best first. */
const CHUNKS_READ = 10

/** In how many of them, best first, sentences are told apart. */
const CHUNKS_WITH_SENTENCES = 5

/** How much of a term another one says that means much the same. */
export const SYNONYM_WEIGHT = 0.3

/** In how many of them, best first, terms that begin like missing ones are looked for. */
const CHUNKS_WITH_BEGINNINGS = 3

/** Share of the longer of two terms that their common beginning must be, for them to be relatives. */
const RELATIVE_FROM = 0.6

/** Shorter terms are not compared by their beginnings. */
const RELATIVE_LENGTH = 4

const BM25_B = 0.75

/** Terms a collection is taken to have where nothing is known of it. */
const ASSUMED_TERM_COUNT = 10_000

/** A distinct term of the question. */
export interface QuestionTerm {
  readonly term: string
  readonly idf: number
  /** How often the collection speaks of it: chunks that hold it, and a half, by the collection's terms. Above 0, to 1. */
  readonly rate: number
  readonly emphasis: Emphasis
}

/** One sentence as read. */
export interface ReadSentence {
  /** Which terms of the question it holds, as indexes into `questionTerms`. */
  readonly held: readonly number[]
  /** Which others it holds a synonym of. */
  readonly synonyms: readonly number[]
  /** Squared idf, summed over its distinct terms. */
  readonly squaredIdf: number
}

/** One chunk as read. */
export interface ReadChunk {
  /** Which terms of the question its title holds, as indexes into `questionTerms`; none beyond the five best chunks. */
  readonly titled: readonly number[]
  /** Its sentences that hold any question term or a synonym; none are told apart beyond the five best chunks. */
  readonly sentences: readonly ReadSentence[]
  /** How often it holds each of `questionTerms`. */
  readonly counts: readonly number[]
  /**
   * How near the chunk comes to each of `questionTerms` that it does not hold: .3 for a synonym, in the five best chunks;
   * in the three best, if that is more, the share of its nearest relative, .6 to 1, that both begin with (`immigr`,
   * `immigrant`). 0 for terms that it holds.
   */
  readonly relatives: readonly number[]
  /** Number of its terms. */
  readonly length: number
  /** BM25 of this chunk for the question, k1 1.2, b .75, against the collection lexicon. 0 and up. */
  readonly bm25: number
}

/** What was read. */
export interface Reading {
  readonly evidence: Evidence
  readonly questionTerms: readonly QuestionTerm[]
  /** Idf summed over `questionTerms`; 0 when the question has no term. */
  readonly idfMass: number
  /** Distinct terms in the title of the best chunk; none when it has no title. */
  readonly titleTerms: readonly string[]
  /** The ten best chunks, best first. */
  readonly chunks: readonly ReadChunk[]
}

/** Reads a question and its evidence against the collection lexicon, as `amongEnglish` gives it. */
export function read(
  question: string,
  evidence: Evidence,
  lexicon: TermCounts,
  { terms, sentenceTerms }: TermReader = PLAIN_TERM_READER,
): Reading {
  const idfOf = (term: string): number => inverseDocumentFrequency(lexicon, term)
  const termCount = lexicon.termCount > 0 ? lexicon.termCount : ASSUMED_TERM_COUNT
  const emphasised = emphasis(question)
  const questionTerms = [...new Set(terms(question))].map((term) => ({
    term,
    idf: idfOf(term),
    emphasis: emphasised.get(term) ?? PLAIN,
    rate: Math.min(1, ((lexicon.documentFrequency.get(term) ?? 0) + 0.5) / termCount),
  }))
  const meanings = meaningsOf(questionTerms)
  const meanLength = meanChunkLength(lexicon)
  return {
    evidence,
    questionTerms,
    idfMass: questionTerms.reduce((mass, { idf }) => mass + idf, 0),
    titleTerms: [...new Set(terms(evidence.chunks[0]?.title ?? ''))],
    chunks: evidence.chunks.slice(0, CHUNKS_READ).map(({ text, title }, rank) => {
      const parts = sentenceTerms(text)
      const counts = questionTerms.map(() => 0)
      const relatives = questionTerms.map(() => 0)
      const found: ReadSentence[] = []
      let length = 0
      for (const part of parts) {
        length += part.length
        const { held, synonyms } = findQuestionTerms(part, meanings, counts)
        if (rank >= CHUNKS_WITH_SENTENCES) continue
        for (const at of synonyms) relatives[at] = SYNONYM_WEIGHT
        if (held.length + synonyms.length > 0) found.push({ held, synonyms, squaredIdf: squaredIdf(part, idfOf) })
      }
      questionTerms.forEach(({ term }, at) => {
        if (counts[at]! > 0) relatives[at] = 0
        else if (rank < CHUNKS_WITH_BEGINNINGS) relatives[at] = Math.max(relatives[at]!, nearestRelative(term, parts))
      })
      const titled = rank < CHUNKS_WITH_SENTENCES ? namedBy(title ?? '', meanings) : []
      const score = bm25(questionTerms, counts, length, meanLength)
      return { titled, sentences: found, counts, relatives, length, bm25: score }
    }),
  }
}

/** What a term means to the question, as indexes of its terms. */
interface Meaning {
  /** The one that it is. */
  is?: number
  /** Those that it is a synonym of. */
  readonly synonymOf: number[]
}

/** Most terms mean nothing to a question, so what the others do is looked up once for it. */
function meaningsOf(questionTerms: readonly QuestionTerm[]): ReadonlyMap<string, Readonly<Meaning>> {
  const meanings = new Map<string, Meaning>()
  const meaningOf = (term: string): Meaning => {
    let meaning = meanings.get(term)
    if (meaning === undefined) meanings.set(term, (meaning = { synonymOf: [] }))
    return meaning
  }
  questionTerms.forEach(({ term }, at) => {
    meaningOf(term).is = at
    for (const synonym of englishRelatives(term)) meaningOf(synonym).synonymOf.push(at)
  })
  return meanings
}

/** Which question terms a title holds. */
function namedBy(title: string, meanings: ReadonlyMap<string, Readonly<Meaning>>): readonly number[] {
  return [...new Set(terms(title).flatMap((term) => meanings.get(term)?.is ?? []))]
}

/** Adds to the counts of question terms; returns which of them stood in the part, and of which others a synonym. */
function findQuestionTerms(
  part: readonly string[],
  meanings: ReadonlyMap<string, Readonly<Meaning>>,
  counts: number[],
): { readonly held: readonly number[]; readonly synonyms: readonly number[] } {
  const held: number[] = []
  const near: number[] = []
  for (const term of part) {
    const meaning = meanings.get(term)
    if (meaning === undefined) continue
    if (meaning.is !== undefined) {
      counts[meaning.is]!++
      if (!held.includes(meaning.is)) held.push(meaning.is)
    }
    for (const at of meaning.synonymOf) if (!near.includes(at)) near.push(at)
  }
  return { held, synonyms: near.filter((at) => !held.includes(at)) }
}

function nearestRelative(term: string, parts: readonly (readonly string[])[]): number {
  if (term.length < RELATIVE_LENGTH) return 0
  let nearest = 0
  for (const part of parts) {
    for (const other of part) {
      // Hardly any term begins like another: the first letter settles most.
      if (other.charCodeAt(0) !== term.charCodeAt(0)) continue
      let shared = 1
      // Beyond an end there is NaN, which equals nothing.
      while (other.charCodeAt(shared) === term.charCodeAt(shared)) shared++
      nearest = Math.max(nearest, shared / Math.max(term.length, other.length))
    }
  }
  return nearest >= RELATIVE_FROM ? nearest : 0
}

function squaredIdf(part: readonly string[], idfOf: (term: string) => number): number {
  let sum = 0
  for (const term of new Set(part)) sum += idfOf(term) ** 2
  return sum
}

function bm25(terms: readonly QuestionTerm[], counts: readonly number[], length: number, meanLength: number): number {
  // A lexicon of one term a chunk is the empty one's: then every chunk has the mean length.
  const saturation = BM25_K1 * (1 - BM25_B + BM25_B * (meanLength > 1 ? length / meanLength : 1))
  let score = 0
  terms.forEach(({ idf }, at) => {
    const count = counts[at]!
    score += (idf * count * (BM25_K1 + 1)) / (count + saturation)
  })
  return score
}
