/** Retrieval quality of the word index, and of the vector index as used by the gate: nDCG@10 on every set. */
import { createWordIndex, createWordRetriever } from '../../packages/word-index/src/index.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { english } from '../../src/language/english/english.ts'
import { d1InMemory } from '../../test/fixtures/d1-in-memory.ts'
import { gateSearch, indexSet, type Search } from '../retrieval/indexed-set.ts'
import { type LabelledSet, readLabelledSet } from '../retrieval/labelled-set.ts'
import { bootstrapInterval, DEPTH, mean } from '../retrieval/ranks.ts'

/** nDCG of ten passages with binary relevance. */
function gainOf(found: readonly string[], relevant: ReadonlySet<string>): number {
  const discounted = (count: number, isRight: (at: number) => boolean): number =>
    Array.from({ length: count }, (_, at) => (isRight(at) ? 1 / Math.log2(at + 2) : 0)).reduce((a, b) => a + b, 0)
  const best = discounted(Math.min(DEPTH, relevant.size), () => true)
  return discounted(Math.min(DEPTH, found.length), (at) => relevant.has(found[at]!)) / best
}

async function wordSearch({ passages }: LabelledSet): Promise<Search> {
  const options = { db: d1InMemory(), language: english }
  await createWordIndex(options).upsert(
    'bench',
    passages.map(({ id, text }) => ({ id, documentId: id, text })),
  )
  const retriever = createWordRetriever(options)
  return async (asked) => {
    const request = { tenant: 'bench', collection: 'bench', namespace: 'bench', topK: DEPTH }
    const question = normaliseQuestion(asked)
    const [ranking] = await retriever.retrieve({ ...request, question, signal: new AbortController().signal })
    return ranking!.entries.map(({ passage }) => passage.id)
  }
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`

/** A row for a set: questions, nDCG@10 of the word index and the vector index, difference with 95 % interval. */
export async function qualityRow(set: string, count: number, seed: number): Promise<readonly string[]> {
  const labelled = readLabelledSet(set, count, seed)
  const { index, lexicon } = indexSet(labelled)
  const words = await wordSearch(labelled)
  const vectors = gateSearch(index, 'int8', lexicon)
  const gains: [words: number, vectors: number][] = []
  for (const { question, relevant } of labelled.questions) {
    if (relevant.size === 0) continue
    gains.push([gainOf(await words(question), relevant), gainOf(await vectors(question), relevant)])
  }
  const differences = gains.map(([ours, theirs]) => ours - theirs)
  const { low, high } = bootstrapInterval(differences)
  return [
    set,
    String(gains.length),
    mean(gains.map(([ours]) => ours)).toFixed(3),
    mean(gains.map(([, theirs]) => theirs)).toFixed(3),
    `${signed(mean(differences))} (${signed(low)} to ${signed(high)})`,
  ]
}
