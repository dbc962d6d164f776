/**
 * Full-text search with SQLite FTS5 in Cloudflare D1, over the terms that the gate uses, ranked by BM25. Nothing is
 * loaded before the first question.
 *
 * @see https://www.sqlite.org/fts5.html
 */
export type { WordIndexOptions } from './caller.ts'
export { createWordIndex } from './chunk-index.ts'
export { createWordRetriever } from './retriever.ts'
