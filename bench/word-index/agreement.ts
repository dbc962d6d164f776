/** How close the word index is to BM25 over every passage. */
import { createWordIndex, createWordRetriever } from '../../packages/word-index/src/index.ts'
import { okapi } from '../../packages/word-index/src/okapi.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { english } from '../../src/language/english/english.ts'
import { terms } from '../../src/language/english/terms.ts'
import { d1InMemory } from '../../test/fixtures/d1-in-memory.ts'
import { passagesOf, questionsAbout } from './passages.ts'

const DEPTH = 10
const QUESTIONS = 100

/** Share of the ten best passages that are found, treating ties as equal, and how often the best one is. */
export async function agreementRow(size: number, seed: number): Promise<string> {
  const passages = passagesOf(size, seed)
  const options = { db: d1InMemory(), language: english, timeoutMs: 600_000 }
  await createWordIndex(options).upsert('bench', passages)
  const retriever = createWordRetriever(options)
  const read = passages.map(({ text }) => terms(text))
  const counts = new Map<string, number>()
  for (const found of read) for (const term of new Set(found)) counts.set(term, (counts.get(term) ?? 0) + 1)
  const words = read.reduce((sum, found) => sum + found.length, 0)
  let found = 0
  let best = 0
  for (const asked of questionsAbout(QUESTIONS, seed + 1)) {
    const question = normaliseQuestion(asked)
    const holding = new Map(terms(question).flatMap((term) => (counts.has(term) ? [[term, counts.get(term)!]] : [])))
    const scores = read.map((each) => okapi([each], { passages: size, words, holding })).sort((a, b) => b - a)
    const request = { tenant: 'bench', collection: 'bench', namespace: 'bench', question, topK: DEPTH }
    const [ranking] = await retriever.retrieve({ ...request, signal: new AbortController().signal })
    const entries = ranking!.entries
    const least = (scores[DEPTH - 1] ?? 0) - 1e-9
    found += entries.filter(({ score }) => score >= least).length / DEPTH
    if ((entries[0]?.score ?? 0) >= (scores[0] ?? 0) - 1e-9) best++
  }
  return `${(found / QUESTIONS).toFixed(3)} of the ten best are among the ten, and the best one is first for ${best} of ${QUESTIONS} questions`
}
