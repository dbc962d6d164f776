/** How many of the judged passages carry the scores of both methods, by how deep each of them looks. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createUpstashChunkIndex, createUpstashRetriever } from '../../packages/upstash/src/index.ts'
import { fuse } from '../../src/core/evidence/fusion.ts'
import { idfMass } from '../../src/core/text/lexicon.ts'
import { DEEP } from '../deep-run.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'
import { buildLexicon, terms } from '../fixtures/english.ts'

/** Questions and passages beside the repository, where they are kept. */
const SET = new URL('../../../shared/data/squad-ooc/', import.meta.url)

function lines<Line>(name: string): Line[] {
  const text = readFileSync(new URL(name, SET), 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

const TOP_K = 10
const QUESTIONS = 200

describe.skipIf(!DEEP || !existsSync(SET))('both scores of ten judged passages', () => {
  test('are present for more passages when each method returns more', async () => {
    const passages = lines<{ id: string; doc_id: string; text: string }>('corpus.jsonl').map(
      ({ id, doc_id: documentId, text }) => ({ id, documentId, text }),
    )
    const all = lines<{ question: string }>('questions.jsonl')
    const step = Math.floor(all.length / QUESTIONS)
    const questions = all.filter((_, at) => at % step === 0).slice(0, QUESTIONS)
    const lexicon = buildLexicon(passages.map(({ text }) => text))
    const where = { url: 'https://index.invalid', fetch: embeddedIndex() }
    await createUpstashChunkIndex(where).upsert('n1', passages)
    const retriever = createUpstashRetriever({ ...where, filledBy: 'gate', namespace: () => 'n1' })

    async function shareOfBoth(candidates: number): Promise<number> {
      let [chunks, both] = [0, 0]
      for (const { question } of questions) {
        const signal = new AbortController().signal
        const facts = { tenant: 'acme', collection: 'docs', namespace: 'n1', question }
        const rankings = await retriever.retrieve({ ...facts, topK: candidates, signal })
        const evidence = fuse(rankings, { idfMass: idfMass(lexicon, terms(question)), topK: TOP_K })
        chunks += evidence.chunks.length
        both += evidence.chunks.filter(
          ({ scores: { cosine, bm25 } }) => cosine !== undefined && bm25 !== undefined,
        ).length
      }
      return both / chunks
    }
    const shares = [await shareOfBoth(10), await shareOfBoth(30), await shareOfBoth(50)]
    console.log('passages with both scores at 10, 30 and 50 candidates:', shares)
    expect(shares[0]).toBeCloseTo(0.4, 1)
    expect(shares[1]).toBeCloseTo(0.86, 1)
    expect(shares[2]).toBeCloseTo(0.96, 1)
  })
})
