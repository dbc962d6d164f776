/** What is known of English terms beforehand: how common each is, and which mean much the same. */
import { ENGLISH_RELATIVES, ENGLISH_TERMS } from './english-table.ts'
import type { Lexicon } from './lexicon.ts'

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

let background: Lexicon | undefined
let relatives: ReadonlyMap<string, readonly string[]> | undefined

/**
 * The lexicon of everyday English, for collections that have none of their own. Made when first asked for.
 *
 * @returns document frequencies of 10,000 chunks of 60 terms, from the terms' ranks alone
 * @see B. Mandelbrot, "An informational theory of the statistical structure of language", 1953
 */
export function englishLexicon(): Lexicon {
  return (background ??= {
    chunkCount: CHUNKS,
    termCount: CHUNKS * CHUNK_LENGTH,
    documentFrequency: new Map(ENGLISH_TERMS.split(' ').map((term, rank) => [term, holding(rank)])),
  })
}

/** Chunks that hold a term of this rank, if chunks drew their terms by chance. */
function holding(rank: number): number {
  return CHUNKS * (1 - Math.exp((-CHUNK_LENGTH * SHARE) / (rank + RANK_OFFSET)))
}

/**
 * Terms that may say what this one says: synonyms, derived words (`publish`, `publication`), and what is next broader
 * or narrower. Read when first asked for.
 *
 * @param term as `terms` gives it
 * @returns none for a term beyond the twelve thousand most common
 */
export function englishRelatives(term: string): readonly string[] {
  return (relatives ??= readRelatives()).get(term) ?? []
}

function readRelatives(): ReadonlyMap<string, readonly string[]> {
  const order = ENGLISH_TERMS.split(' ')
  const found = new Map<string, readonly string[]>()
  ENGLISH_RELATIVES.split(',').forEach((written, at) => {
    if (written === '') return
    let place = 0
    const related = written.split(' ').map((distance) => order[(place += parseInt(distance, 36))]!)
    found.set(order[at]!, related)
  })
  return found
}
