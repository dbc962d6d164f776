/**
 * Passages found by their words: full-text search of SQLite in Cloudflare D1, over the terms that the gate reads and
 * ranked by BM25. Nothing is loaded before the first question.
 *
 * @see https://www.sqlite.org/fts5.html
 */
export type { WordIndexOptions } from './caller.ts'
export { createWordIndex } from './chunk-index.ts'
export { createWordRetriever } from './retriever.ts'
