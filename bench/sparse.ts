/**
 * Sparse search of the embedded index beside two general search libraries: microseconds a question, as ratios of one
 * run, with recall beside them; and how fast passages come in.
 *
 *   npm run bench -- sparse [-- rounds]
 *
 * From the text of a question to the ids of ten passages, in Node, on one thread. All engines take turns in every round. The
 * libraries run with their own defaults, and again with our words, so that all search for the same.
 */
import { create, insertMultiple, search as searchOrama, type Orama } from '@orama/orama'
import MiniSearch from 'minisearch'
import { normaliseQuestion } from '../src/core/text/normalise.ts'
import { termFrequencies } from '../packages/vector-index/src/embed/embedder.ts'
import { passageVector, questionVector } from '../packages/vector-index/src/embed/bm25.ts'
import { SparsePostings } from '../packages/vector-index/src/search/sparse.ts'
import { markdownTable } from './markdown-table.ts'
import { haveLabelledSets, readLabelledSet, type SetPassage, type SetQuestion } from './retrieval/labelled-set.ts'
import { DEPTH, rankOf, recallAt } from './retrieval/ranks.ts'
import { seededRandom } from './seeded-random.ts'
import { terms } from '../src/language/english/terms.ts'

const SETS = ['squad-ooc', 'clapnq', 'azure-faq']
const SEED = 20_261_122
const QUESTIONS = 300
/** Of the large corpus: the libraries take their time there. */
const LARGE_QUESTIONS = 60
const LARGE = 20_000
/** Orama is left out there: on two busy cores a run with it did not end within ten minutes. */
const LARGE_NAME = 'three sets and filler'
const FILLER_WORDS = 80
const ROUNDS = Number(process.argv[2] ?? 3)
/** Passages of the set up to which an engine reads before timing, so that no engine is measured cold. */
const WARM_UP = 300

/** Ids of the ten best passages. */
type Search = (question: string) => readonly string[] | Promise<readonly string[]>

/** A collection and what is asked of it. */
interface Corpus {
  readonly name: string
  readonly passages: readonly SetPassage[]
  readonly questions: readonly SetQuestion[]
}

/** Builds an index of passages and gives back its search. */
type Engine = (passages: readonly SetPassage[]) => Promise<Search>

const OURS = 'embedded index'
const ENGINES: Readonly<Record<string, Engine>> = {
  async [OURS](passages) {
    const postings = new SparsePostings()
    passages.forEach(({ text }, slot) => postings.add(slot, passageVector(termFrequencies(text))))
    return (question) =>
      postings
        .search(questionVector(termFrequencies(normaliseQuestion(question))), DEPTH, 'IDF')
        .map(({ slot }) => passages[slot]!.id)
  },
  async minisearch(passages) {
    const index = new MiniSearch({ fields: ['text'] })
    index.addAll(passages)
    return (question) => index.search(question).slice(0, DEPTH).map(idOf)
  },
  async 'minisearch, our words'(passages) {
    const index = new MiniSearch({ fields: ['text'], tokenize: terms, processTerm: (term) => term })
    index.addAll(passages)
    return (question) => index.search(question).slice(0, DEPTH).map(idOf)
  },
  async orama(passages) {
    return oramaSearch(create({ schema: ORAMA_SCHEMA }), passages)
  },
  async 'orama, our words'(passages) {
    const tokenize = (text: string): string[] => [...new Set(terms(text))]
    const tokenizer = { language: 'english', normalizationCache: new Map<string, string>(), tokenize }
    return oramaSearch(create({ schema: ORAMA_SCHEMA, components: { tokenizer } }), passages)
  },
}

const ORAMA_SCHEMA = { text: 'string' } as const

async function oramaSearch(index: Orama<typeof ORAMA_SCHEMA>, passages: readonly SetPassage[]): Promise<Search> {
  await insertMultiple(
    index,
    passages.map(({ id, text }) => ({ id, text })),
  )
  return async (question) => {
    const { hits } = await searchOrama(index, { term: question, limit: DEPTH })
    return hits.map(({ id }) => id)
  }
}

function idOf({ id }: { readonly id: unknown }): string {
  return String(id)
}

/** The passages of all sets, and passages of words drawn from theirs, as often as they stand there. */
function largeCorpus(sets: readonly Corpus[]): Corpus {
  const random = seededRandom(SEED)
  const passages = sets.flatMap((set) => set.passages)
  const vocabulary = passages.flatMap(({ text }) => text.split(/\s+/))
  const word = (): string => vocabulary[Math.floor(random() * vocabulary.length)]!
  const filler = Array.from({ length: LARGE - passages.length }, (_, at) => ({
    id: `filler-${at}`,
    title: '',
    text: Array.from({ length: FILLER_WORDS }, word).join(' '),
  }))
  const questions = sets.flatMap((set) => set.questions.slice(0, LARGE_QUESTIONS / sets.length))
  return { name: LARGE_NAME, passages: [...passages, ...filler], questions }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** What an engine did with a corpus. */
interface Measured {
  readonly engine: string
  readonly microseconds: readonly number[]
  readonly ranks: readonly number[]
  readonly passagesPerSecond: number
}

async function measure({ passages, questions, name: corpus }: Corpus): Promise<Measured[]> {
  const built: {
    engine: string
    search: Search
    passagesPerSecond: number
    ranks: number[]
    microseconds: number[]
  }[] = []
  for (const [engine, build] of Object.entries(ENGINES)) {
    if (corpus === LARGE_NAME && engine.startsWith('orama')) continue
    await build(passages.slice(0, WARM_UP))
    const startedMs = performance.now()
    const search = await build(passages)
    const passagesPerSecond = (passages.length * 1000) / (performance.now() - startedMs)
    const ranks: number[] = []
    for (const { question, relevant } of questions) ranks.push(rankOf(await search(question), relevant))
    built.push({ engine, search, passagesPerSecond, ranks, microseconds: [] })
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const { search, microseconds } of built) {
      const startedMs = performance.now()
      for (const { question } of questions) {
        const found = search(question)
        if (found instanceof Promise) await found
      }
      microseconds.push(((performance.now() - startedMs) * 1000) / questions.length)
    }
  }
  return built
}

function rows({ name, passages }: Corpus, measured: readonly Measured[]): string[][] {
  const ours = measured.find(({ engine }) => engine === OURS)!.microseconds
  return measured.map(({ engine, microseconds, ranks, passagesPerSecond }) => {
    const ratios = microseconds.map((each, round) => each / ours[round]!).sort((a, b) => a - b)
    const { rate, low, high } = recallAt(ranks, DEPTH)
    return [
      `${name}, ${passages.length.toLocaleString('en')}`,
      engine,
      median(microseconds).toFixed(0),
      engine === OURS ? '1' : `${shown(median(ratios))} (${shown(ratios[0]!)}–${shown(ratios.at(-1)!)})`,
      `${rate.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`,
      rounded(passagesPerSecond),
    ]
  })
}

const shown = (ratio: number): string => ratio.toFixed(ratio < 10 ? 1 : 0)
const rounded = (count: number): string => Number(count.toPrecision(2)).toLocaleString('en')

/** How fast the lists take vectors that are made already, as when a namespace is loaded, and what they hold. */
function loading({ passages }: Corpus): string {
  const vectors = passages.map(({ text }) => passageVector(termFrequencies(text)))
  const entries = vectors.reduce((sum, { indices }) => sum + indices.length, 0)
  const seconds: number[] = []
  let bytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now()
    const postings = new SparsePostings()
    vectors.forEach((vector, slot) => postings.add(slot, vector))
    seconds.push((performance.now() - startedMs) / 1000)
    bytes = postings.byteLength
  }
  const replacing = new SparsePostings()
  vectors.forEach((vector, slot) => replacing.add(slot, vector))
  const startedMs = performance.now()
  vectors.forEach((vector, slot) => {
    replacing.remove(slot, vector)
    replacing.add(slot, vectors[(slot * 7919) % vectors.length]!)
  })
  const replaced = (performance.now() - startedMs) / 1000
  return [
    `${passages.length.toLocaleString('en')} passages, ${entries.toLocaleString('en')} entries:`,
    `${rounded(vectors.length / median(seconds))} passages a second into the lists from stored vectors,`,
    `${rounded(vectors.length / replaced)} replaced a second,`,
    `${(bytes / 1e6).toFixed(1)} MB in lists (${(bytes / entries).toFixed(1)} bytes an entry).`,
  ].join(' ')
}

if (!haveLabelledSets()) {
  console.log('The question sets are not here (../shared/data): nothing to measure.')
  process.exit(0)
}
const sets = SETS.map((name): Corpus => readLabelledSet(name, QUESTIONS, SEED))
const head = ['corpus, passages', 'engine', 'µs a question', 'against ours', 'recall@10', 'passages indexed a second']
for (const corpus of [sets[0]!, largeCorpus(sets)]) {
  console.log(`${corpus.questions.length} questions, ${ROUNDS} rounds, seed ${SEED}\n`)
  console.log(markdownTable(head, rows(corpus, await measure(corpus))))
  console.log(`\n${loading(corpus)}\n`)
}
