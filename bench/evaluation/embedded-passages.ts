/** Passages with an embedder's vectors in real indexes, behind the published adapters; and a gate over them. */
import { Index } from '@upstash/vector'
import { createUpstashRetriever, createUpstashTransport } from '../../packages/upstash/src/index.ts'
import { passageVector, questionVector } from '../../packages/vector-index/src/embed/bm25.ts'
import { termFrequencies } from '../../packages/vector-index/src/embed/embedder.ts'
import { createVectorizeRetriever } from '../../packages/vectorize/src/index.ts'
import { createStaticCollections, type StaticCollection } from '../../src/adapters/static-collections.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import type { Decision } from '../../src/core/policy/decision.ts'
import type { Policy } from '../../src/core/policy/policy.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { gateQuestion } from '../../src/pipeline/gate-question.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { embeddedIndex } from '../../test/fixtures/embedded-index.ts'
import { fakeVectorize } from '../../test/fixtures/vectorize.ts'

const TIMEOUT_MS = 60_000
const BATCH = 100
const FIELDS = { documentId: 'documentId' }

/** An embedder's vectors and BM25, in the embedded index with its protocol. */
export async function overUpstash(passages: readonly Passage[], embedder: Embedder): Promise<Retriever> {
  const { dimension } = embedder
  const where = { url: 'https://index.invalid', fetch: embeddedIndex({ indexType: 'HYBRID', dimension }) }
  const client = new Index(createUpstashTransport({ ...where, timeoutMs: TIMEOUT_MS, maxResponseBytes: 1e7 })())
  const vectors = await vectorsOf(passages, embedder)
  const rows = passages.map((passage, at) => ({
    id: passage.id,
    vector: vectors[at]!,
    sparseVector: sparse(passageVector(termFrequencies(passage.text))),
    metadata: metadataOf(passage),
  }))
  for (let at = 0; at < rows.length; at += BATCH) await client.upsert(rows.slice(at, at + BATCH))
  return createUpstashRetriever({
    ...where,
    embedder,
    sparseEmbedder: (question) => sparse(questionVector(termFrequencies(question))),
    sparseScores: 'bm25',
    fields: FIELDS,
    timeoutMs: TIMEOUT_MS,
  })
}

/** An embedder's vectors in the simulation of Vectorize, which has no local runtime. */
export async function overVectorize(passages: readonly Passage[], embedder: Embedder): Promise<Retriever> {
  const index = fakeVectorize({ dimensions: embedder.dimension })
  const vectors = await vectorsOf(passages, embedder)
  index.hold(passages.map((passage, at) => ({ id: passage.id, values: vectors[at]!, metadata: metadataOf(passage) })))
  return createVectorizeRetriever({ index, embedder, metric: 'cosine', fields: FIELDS, timeoutMs: TIMEOUT_MS })
}

/** A gate over a retriever, for the collection `default`. */
export function gateOver(
  retriever: Retriever,
  policy: Policy,
  collection: Omit<StaticCollection, 'id'>,
): (question: string) => Promise<Decision> {
  const ports = {
    retriever,
    collections: createStaticCollections([{ id: 'default', ...collection }]),
    clock: { nowMs: () => 0 },
  }
  const settings = {
    policy: () => policy,
    mode: 'enforce',
    rules: [],
    retrieval: { topK: 10, timeoutMs: TIMEOUT_MS },
    context: { maxLength: 12_000 },
  } as const
  return async (question) => {
    const result = await gateQuestion(ports, settings, {
      question: normaliseQuestion(question),
      collection: 'default',
      principal: { tenant: 'default', id: 'bench', scopes: [] },
      audience: 'operator',
    })
    if (result.kind !== 'judged') throw new Error('There is no cache here')
    return result.decision
  }
}

async function vectorsOf(passages: readonly Passage[], embedder: Embedder): Promise<number[][]> {
  const texts = passages.map(({ text }) => text)
  const vectors = await embedder.embed({ texts, purpose: 'passage', signal: AbortSignal.timeout(3_600_000) })
  return vectors.map((vector) => [...vector])
}

function metadataOf({ text, title, documentId }: Passage): Record<string, string> {
  return { text, documentId, ...(title !== undefined && { title }) }
}

function sparse({ indices, values }: { readonly indices: Int32Array; readonly values: Float32Array }): {
  indices: number[]
  values: number[]
} {
  return { indices: [...indices], values: [...values] }
}
