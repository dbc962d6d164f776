/**
 * The constants of Okapi BM25.
 *
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.4
 */

/** How soon further occurrences of a term count no more. */
export const BM25_K1 = 1.2

/** How much the length of a chunk counts against it, 0..1. */
export const BM25_B = 0.75
