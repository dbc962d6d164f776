/** One set of real questions through two engines: what decides is the evidence, not the engine. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createUpstashChunkIndex, createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { createVectorizeChunkIndex, createVectorizeRetriever } from '../../packages/vectorize/src/index.ts'
import type { Passage } from '../../src/core/evidence/chunk.ts'
import { fuse } from '../../src/core/evidence/fusion.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import type { Retriever } from '../../src/ports/retriever.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'
import { hashedEmbedder } from '../fixtures/hashed-embedder.ts'
import { fakeVectorize } from '../fixtures/vectorize.ts'
import { buildLexicon, measure } from '../fixtures/english.ts'
import { examples } from '../properties.ts'

/** Questions and passages beside the repository, where they are kept. */
const SET = new URL('../../../shared/data/squad-ooc/', import.meta.url)

function lines<Line>(name: string): Line[] {
  const text = readFileSync(new URL(name, SET), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

const TOP_K = 10
const QUESTIONS = examples(200)

describe.skipIf(!existsSync(SET))('questions of squad-ooc', () => {
  test('get the same verdicts over the embedded index and over Vectorize', async () => {
    const passages = lines<{ id: string; doc_id: string; title: string; text: string }>('corpus.jsonl').map(
      ({ id, doc_id, title, text }): Passage => ({ id: id.slice(-36), documentId: doc_id, title, text }),
    )
    const all = lines<{ question: string; answerable: boolean }>('questions.jsonl')
    const step = Math.floor(all.length / QUESTIONS)
    const questions = all.filter((_, at) => at % step === 0).slice(0, QUESTIONS)
    const lexicon = buildLexicon(passages.map(({ text }) => text))
    const embedder = hashedEmbedder(lexicon)

    const fetch = embeddedIndex()
    const url = 'https://index.invalid'
    await createUpstashChunkIndex({ url, fetch }).upsert('n1', passages)
    const index = fakeVectorize({ dimensions: embedder.dimension })
    await createVectorizeChunkIndex({ index, embedder }).upsert('n1', passages)
    // Vectorize has no sparse search, so the other engine is asked for its dense ranking alone.
    const embedded = createUpstashRetriever({
      url,
      fetch,
      filledBy: 'gate',
      namespace: () => 'n1',
      methods: 'dense',
    })
    const vectorize = createVectorizeRetriever({
      index,
      embedder,
      metric: 'cosine',
      timeoutMs: 10_000,
      filledBy: 'gate',
      namespace: () => 'n1',
    })

    const policy = balanced()
    async function verdict(retriever: Retriever, question: string) {
      const signal = new AbortController().signal
      const facts = { tenant: 'acme', collection: 'docs', namespace: 'n1' }
      const rankings = await retriever.retrieve({ ...facts, question, topK: TOP_K, signal })
      const evidence = fuse(rankings, { idfMass: 1, topK: TOP_K })
      const { verdict } = judge(policy, measure(question, evidence, lexicon))
      return { verdict, best: evidence.chunks[0]?.id }
    }
    const differing: string[] = []
    const seen = new Set<string>()
    let sameBest = 0
    for (const { question } of questions) {
      const [one, other] = [await verdict(embedded, question), await verdict(vectorize, question)]
      seen.add(one.verdict)
      if (one.best === other.best) sameBest++
      if (one.verdict !== other.verdict) differing.push(question)
    }
    expect(questions).toHaveLength(QUESTIONS)
    expect([...seen].sort()).toEqual(['advise', 'pass', 'refuse'])
    expect(differing).toEqual([])
    // Rows of the embedded index are rounded to bytes, so neighbours may change places.
    expect(sameBest / QUESTIONS).toBeGreaterThan(0.95)
  })
})
