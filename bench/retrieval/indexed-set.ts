/** A set in the embedded index, and the ways to search it. Every search uses the index's own protocol. */
import { fuse } from '../../src/core/evidence/fusion.ts'
import { buildLexicon, idfMass, inverseDocumentFrequency, type Lexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { embed, termFrequencies } from '../../packages/vector-index/src/embed/embedder.ts'
import { passageVector } from '../../packages/vector-index/src/embed/bm25.ts'
import { IndexInMemory } from '../../test/vector-index/index-in-memory.ts'
import type { LabelledSet } from './labelled-set.ts'
import { DEPTH } from './ranks.ts'
import { terms } from '../../src/language/english/terms.ts'
import { english } from '../../src/language/english/english.ts'

/** A search: returns the ids of the ten best passages. */
export type Search = (question: string) => Promise<readonly string[]> | readonly string[]

/** Storage of dense vectors: quantised as in the index, in float32, or in float32 with idf. */
export type DenseKind = 'int8' | 'float32' | 'float32-idf'

const BATCH = 500

/** Puts a set into a new index in memory, with a namespace for each kind of dense vector. */
export function indexSet({ passages }: LabelledSet): { readonly index: IndexInMemory; readonly lexicon: Lexicon } {
  const index = new IndexInMemory()
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

/** A `query-data` command of the protocol. */
export function protocolSearch(
  index: IndexInMemory,
  namespace: DenseKind,
  query: Readonly<Record<string, string>>,
): Search {
  return (question) => {
    const body = { data: normaliseQuestion(question), topK: DEPTH, weightingStrategy: 'IDF', ...query }
    // `query-data` returns one list of rows for one query.
    return (command(index, `query-data/${namespace}`, body) as { id: string }[]).map(({ id }) => id)
  }
}

/** The gate's retrieval: two queries through the client and the adapter, then the convex mix. */
export function gateSearch(index: IndexInMemory, namespace: DenseKind, lexicon: Lexicon): Search {
  const retriever = createUpstashRetriever({
    filledBy: 'gate',
    namespace: () => namespace,
    url: 'http://index.local',
    async fetch(url, { body, method = 'POST' }) {
      // The adapter sends JSON text.
      const answer = index.answer(method, new URL(url).pathname, JSON.parse(body as string))
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

function command(index: IndexInMemory, path: string, body: unknown): unknown {
  const answer = index.answer('POST', path, body)
  if (!('result' in answer.body)) throw new Error(`${path}: ${answer.body.error}`)
  return answer.body.result
}
