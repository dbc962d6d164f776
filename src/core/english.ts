/** What is known of English terms beforehand: how common each is, and which mean much the same. */
import { ENGLISH_RELATIVES, ENGLISH_TERMS } from './english-table.ts'
import type { TermCounts } from './text/lexicon.ts'

/** Chunks the background lexicon stands for. */
const CHUNKS = 10_000

/** Terms in each of them: a passage of a hundred words. */
const CHUNK_LENGTH = 60

/**
 * Zipf's law as Mandelbrot put it: the term of rank r is this share of all terms, divided by r + 10. The twelve thousand
 * terms of the table then make up nine tenths of a text.
 */
const SHARE = 0.13
const RANK_OFFSET = 10

/** The tables, cut but not read: a cold isolate's first question names a handful of terms. */
interface EnglishTables {
  /** By rank, from 0. */
  readonly terms: readonly string[]
  readonly rankOf: ReadonlyMap<string, number>
  /** By rank, as written. */
  readonly relatives: readonly string[]
}

let tables: EnglishTables | undefined

function englishTables(): EnglishTables {
  if (tables === undefined) {
    const terms = ENGLISH_TERMS.split(' ')
    const rankOf = new Map(terms.map((term, rank) => [term, rank]))
    tables = { terms, rankOf, relatives: ENGLISH_RELATIVES.split(',') }
  }
  return tables
}

/**
 * The lexicon of everyday English, for collections that have none of their own.
 *
 * @returns document frequencies of 10,000 chunks of 60 terms, from the terms' ranks alone
 * @see B. Mandelbrot, "An informational theory of the statistical structure of language", 1953
 */
export function englishLexicon(): TermCounts {
  const { rankOf } = englishTables()
  return {
    chunkCount: CHUNKS,
    termCount: CHUNKS * CHUNK_LENGTH,
    documentFrequency: {
      get: (term) => {
        const rank = rankOf.get(term)
        return rank === undefined ? undefined : holding(rank)
      },
    },
  }
}

/** Chunks that hold a term of this rank, if chunks drew their terms by chance. */
function holding(rank: number): number {
  return CHUNKS * (1 - Math.exp((-CHUNK_LENGTH * SHARE) / (rank + RANK_OFFSET)))
}

/**
 * Terms that may say what this one says: synonyms, derived words (`publish`, `publication`), and what is next broader
 * or narrower.
 *
 * @param term as `terms` gives it
 * @returns none for a term beyond the twelve thousand most common
 */
export function englishRelatives(term: string): readonly string[] {
  const { terms, rankOf, relatives } = englishTables()
  const rank = rankOf.get(term)
  const written = rank === undefined ? '' : (relatives[rank] ?? '')
  if (written === '') return []
  let place = 0
  return written.split(' ').map((distance) => terms[(place += parseInt(distance, 36))]!)
}
