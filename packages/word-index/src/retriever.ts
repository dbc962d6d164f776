/** Reading from the word index. */
import { rankRows, type RetrievedRow } from 'hono-rag-gate/core/evidence'
import { requireOptions } from 'hono-rag-gate/core/lib'
import { createTermReader } from 'hono-rag-gate/core/text'
import { badResponse } from '@hono-rag-gate/upstream/http'
import type { RetrievalRequest, Retriever } from 'hono-rag-gate/ports'
import { callerOf, INDEX, storedPassage, WORD_INDEX_OPTIONS, wordEmbedding, type WordIndexOptions } from './caller.ts'
import { filterConditions } from './filter-conditions.ts'
import { okapi } from './okapi.ts'
import { searchStatement } from './statements.ts'

/**
 * Maximum passages that the matched terms may occur in, rarest terms first. With 50,000 passages, .99 of the ten best
 * by BM25 are found among the first ten, in a third of the slowest questions' time (bench/word-index.ts).
 */
const MATCHED = 16_000

/** Further passages to rank here, because SQLite's ranking lacks the namespace's idf and unmatched terms. */
const RANKED_AGAIN = 20

interface FoundRow {
  readonly id: string
  readonly passage: string
  readonly total: number
  readonly totalWords: number
  /** JSON list of `[term, number of passages with it, whether it was matched]`. */
  readonly terms: string
}

/**
 * Finds passages by the question's terms, with BM25 statistics of their own namespace, so that tenants who share a
 * database do not affect each other's scores.
 *
 * @throws `config_invalid` for invalid options
 */
export function createWordRetriever(options: WordIndexOptions): Retriever {
  requireOptions(options, WORD_INDEX_OPTIONS)
  const { db, language } = options
  const call = callerOf(options, 1500)
  const reader = createTermReader(language)

  async function search(
    { namespace, topK, filter, signal }: RetrievalRequest,
    asked: readonly string[],
    matched: number,
  ): Promise<{ readonly rows: readonly RetrievedRow[]; readonly left: boolean }> {
    const { sql, values } = filterConditions(filter, 5)
    const statement = db
      .prepare(searchStatement(sql))
      .bind(namespace, JSON.stringify(asked), matched, topK + RANKED_AGAIN, ...values)
    const { results } = await call(() => statement.all<FoundRow>(), signal)
    const [first] = results
    // Without a filter a matched term always finds a passage, so no term occurs in the namespace.
    if (first === undefined) return { rows: [], left: filter !== undefined }
    const counted = readTerms(first.terms)
    const holding = new Map(counted.map(([term, count]) => [term, count]))
    const totals = { passages: first.total, words: first.totalWords, holding }
    const rows = results.map(({ id, passage: stored }): RetrievedRow => {
      const passage = storedPassage(id, stored)
      // Computed by sentences, which are cached: the same passages are found for other questions.
      return { passage, score: okapi(reader.sentences(passage.text), totals) }
    })
    return { rows, left: counted.some(([, , wasMatched]) => wasMatched === 0) }
  }

  return {
    embedding: wordEmbedding(language),
    scores: ['words'],
    async retrieve(request) {
      const { question, topK } = request
      const asked = [...new Set(reader.terms(question))]
      if (asked.length === 0) return [rankRows('bm25', [], topK)]
      const rare = await search(request, asked, MATCHED)
      // The unmatched terms may find what too few matches or a filter left out.
      const { rows } =
        rare.left && rare.rows.length < topK ? await search(request, asked, Number.MAX_SAFE_INTEGER) : rare
      return [rankRows('bm25', rows, topK)]
    },
  }
}

/** A term, the number of passages with it, and 1 if it was matched. */
type CountedTerm = readonly [term: string, holding: number, matched: number]

function readTerms(text: string): readonly CountedTerm[] {
  const read: unknown = JSON.parse(text)
  if (!Array.isArray(read)) throw badResponse(INDEX, 'no terms')
  // Built by the SQL statement.
  return read as readonly CountedTerm[]
}
