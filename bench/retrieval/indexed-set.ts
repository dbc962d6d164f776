/** A set in the embedded index, and the ways to search it. Every search goes through the index's own protocol. */
import { fuse } from '../../src/core/evidence/fusion.ts'
import { buildLexicon, idfMass, inverseDocumentFrequency, type Lexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { embed, termFrequencies } from '../../packages/vector-index/src/embed/embedder.ts'
import { answerCommand } from '../../packages/vector-index/src/protocol/protocol.ts'
import { passageVector } from '../../packages/vector-index/src/embed/bm25.ts'
import { openIndex, type EmbeddedIndex } from '../../packages/vector-index/src/protocol/embedded-index.ts'
import { indexSettings } from '../../packages/vector-index/src/settings.ts'
import { sqliteStorage } from '../../test/vector-index/sqlite-storage.ts'
import type { LabelledSet } from './labelled-set.ts'
import { DEPTH } from './ranks.ts'
import { terms } from '../../src/language/english/terms.ts'
import { english } from '../../src/language/english/english.ts'

/** A way to search: ids of the ten best passages. */
export type Search = (question: string) => Promise<readonly string[]> | readonly string[]

/** How the passages' dense vectors are kept: as the index does, in float32, or in float32 with idf in them. */
export type DenseKind = 'int8' | 'float32' | 'float32-idf'

const BATCH = 500

/** Nothing measured here depends on time or chance. */
const PLATFORM = { nowMs: () => 0, random: () => 0, randomUuid: () => '' }

/** Puts a set into a fresh index in SQLite's memory, a namespace for each kind of dense vector. */
export function indexSet(
  { passages }: LabelledSet,
  sparseEmbeddingModel = 'BM25',
): { readonly index: EmbeddedIndex; readonly lexicon: Lexicon } {
  const index = openIndex(sqliteStorage(), indexSettings('bench', { sparseEmbeddingModel }), PLATFORM)
  const lexicon = buildLexicon(
    passages.map(({ text }) => text),
    english,
  )
  const idf = (term: string): number => inverseDocumentFrequency(lexicon, term)
  for (let at = 0; at < passages.length; at += BATCH) {
    const batch = passages.slice(at, at + BATCH)
    command(
      index,
      'upsert-data/int8',
      batch.map(({ id, title, text }) => ({ id, data: text, metadata: { title } })),
    )
    for (const [namespace, weightOf] of [
      ['float32', () => 1],
      ['float32-idf', idf],
    ] as const) {
      const rows = batch.map(({ id, text }) => {
        const frequencies = termFrequencies(text)
        const { indices, values } = passageVector(frequencies)
        const sparseVector = { indices: [...indices], values: [...values] }
        return { id, data: text, vector: [...embed(frequencies, weightOf)], sparseVector }
      })
      command(index, `upsert/${namespace}`, rows)
    }
  }
  return { index, lexicon }
}

/** One query of the protocol, `query-data`. */
export function protocolSearch(
  index: EmbeddedIndex,
  namespace: DenseKind,
  query: Readonly<Record<string, string>>,
): Search {
  return (question) => {
    const body = { data: normaliseQuestion(question), topK: DEPTH, weightingStrategy: 'IDF', ...query }
    // `query-data` answers one query with one list of rows.
    return (command(index, `query-data/${namespace}`, body) as { id: string }[]).map(({ id }) => id)
  }
}

/** As the gate retrieves: two queries through the client and the adapter, then the convex mix. */
export function gateSearch(index: EmbeddedIndex, namespace: DenseKind, lexicon: Lexicon): Search {
  const retriever = createUpstashRetriever({
    filledBy: 'gate',
    namespace: () => namespace,
    url: 'http://index.local',
    async fetch(url, { body, method = 'POST' }) {
      const path = new URL(url).pathname.slice(1).split('/')
      // The adapter sends JSON text.
      const answer = answerCommand(index, { method, path, search: '', body: JSON.parse(body as string) })
      return Response.json(answer.body, { status: answer.status })
    },
  })
  return async (asked) => {
    const question = normaliseQuestion(asked)
    const request = { tenant: 'bench', collection: 'bench', namespace, question, topK: DEPTH }
    const rankings = await retriever.retrieve({ ...request, signal: new AbortController().signal })
    const evidence = fuse(rankings, { idfMass: idfMass(lexicon, terms(question)), topK: DEPTH })
    return evidence.chunks.map(({ id }) => id)
  }
}

function command(index: EmbeddedIndex, path: string, body: unknown): unknown {
  const answer = answerCommand(index, { method: 'POST', path: path.split('/'), search: '', body })
  if (!('result' in answer.body)) throw new Error(`${path}: ${answer.body.error}`)
  return answer.body.result
}
