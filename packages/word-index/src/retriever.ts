/** The reading side. */
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
 * Passages that the terms of a question may match, the rarest terms first. Of 50,000 passages the ten best of BM25 are
 * found with .99 of them among the first ten, in a third of the time of the slowest questions (bench/word-index.ts).
 */
const MATCHED = 16_000

/** SQLite's own ranking knows neither the idf of the namespace nor the terms left out: so many more passages are ranked again. */
const RANKED_AGAIN = 20

interface FoundRow {
  readonly id: string
  readonly passage: string
  readonly total: number
  readonly totalWords: number
  /** JSON list of `[term, passages that hold it, whether it was matched]`. */
  readonly terms: string
}

/**
 * Finds passages by the terms of the question, with the BM25 of their own namespace: of tenants who share a database none
 * counts in the scores of another.
 *
 * @throws `config_invalid` when the options make no sense
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
    // Without a filter a matched term finds something: there is none of them.
    if (first === undefined) return { rows: [], left: filter !== undefined }
    const counted = readTerms(first.terms)
    const holding = new Map(counted.map(([term, count]) => [term, count]))
    const totals = { passages: first.total, words: first.totalWords, holding }
    const rows = results.map(({ id, passage: stored }): RetrievedRow => {
      const passage = storedPassage(id, stored)
      // By sentences, for these are remembered: passages come back with other questions.
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
      // What few terms or a filter left out may have the others.
      const { rows } =
        rare.left && rare.rows.length < topK ? await search(request, asked, Number.MAX_SAFE_INTEGER) : rare
      return [rankRows('bm25', rows, topK)]
    },
  }
}

/** A term, how many passages hold it, and 1 where it was matched. */
type CountedTerm = readonly [term: string, holding: number, matched: number]

function readTerms(text: string): readonly CountedTerm[] {
  const read: unknown = JSON.parse(text)
  if (!Array.isArray(read)) throw badResponse(INDEX, 'no terms')
  // Made by the statement.
  return read as readonly CountedTerm[]
}
