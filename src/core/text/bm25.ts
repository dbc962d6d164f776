/**
 * The constants of Okapi BM25.
 *
 * @see Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.4
 */

/** Saturation of term frequency. */
export const BM25_K1 = 1.2

/** Strength of length normalisation, 0..1. */
export const BM25_B = 0.75
