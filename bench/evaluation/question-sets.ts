/** The development question sets, retrieved as the embedded index retrieves. Read from `../shared/data`, never kept here. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passage, Ranking, ScoreKind } from '../../src/core/evidence/chunk.ts'
import type { Evidence } from '../../src/core/evidence/evidence.ts'
import { fuseConvex } from '../../src/core/evidence/fusion.ts'
import { buildLexicon, idfMass, type Lexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { english } from '../../src/language/english/english.ts'
import { terms } from '../../src/language/english/terms.ts'
import { embed, termFrequencies } from '../../packages/vector-index/src/embed/embedder.ts'
import { ResidentNamespace } from '../../packages/vector-index/src/store/resident-namespace.ts'
import { quantise, type ScoredRow } from '../../packages/vector-index/src/search/scan.ts'
import { dimensionOf, passageVector, questionVector } from '../../packages/vector-index/src/embed/bm25.ts'

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data')

/** Chunks kept for a question, as the gate's default is. */
const TOP_K = 10

/** A labelled question with the evidence found for it. */
export interface AskedQuestion extends LabelledQuestion {
  readonly evidence: Evidence
}

/** A corpus, what is asked of it, and its lexicon. */
export interface QuestionSet {
  readonly name: string
  readonly lexicon: Lexicon
  readonly questions: readonly AskedQuestion[]
}

/** A chunk of a corpus. */
export interface CorpusLine {
  readonly id: string
  readonly doc_id: string
  readonly title: string
  readonly text: string
}

interface QuestionLine {
  readonly id: string
  readonly question: string
  readonly answerable: boolean
  readonly group: string
  /** In `questions.noisy.jsonl`. */
  readonly variant?: string
  readonly relevant_ids: readonly string[]
}

/** Whether the sets are here. */
export function haveQuestionSets(): boolean {
  return existsSync(DATA)
}

/** A set whose index can be searched again. */
export interface SearchableSet {
  readonly lexicon: Lexicon
  readonly questions: readonly LabelledQuestion[]
  /** What the embedded index finds for these words: hash embeddings and BM25. */
  readonly search: (words: string, topK: number) => readonly Ranking[]
}

/** A question as it is labelled. */
export interface LabelledQuestion {
  /** Within its set; a noisy form has that of the question it was made of. */
  readonly id: string
  /** Normalised. */
  readonly question: string
  readonly answerable: boolean
  /** The article or page that it is about: questions of one group belong together. */
  readonly group: string
  /** Ids of the passages that answer it; none for one that must be refused. */
  readonly relevantIds: readonly string[]
}

/** One set for each family of questions. What is chosen or fitted is shown on a family that took no part in it. */
export const FAMILY_SETS = [
  'squad-ooc',
  'clapnq',
  'azure-faq',
  'gov-faq',
  'tex-faq',
  'perl-faq',
  'covid-qa',
  'scifact-missing',
] as const

/** How a set is read. */
export interface ReadingOptions {
  /**
   * Takes each how-manieth question only, beginning with the first.
   *
   * @default 1
   */
  readonly every?: number
  /** Another form of each question; `at` is its place in the file. */
  readonly form?: (question: string, at: number) => string
  /**
   * Puts every passage into the index a second time.
   *
   * @default false
   */
  readonly storedTwice?: boolean
  /**
   * Reads the noisy form of the questions that the set brings along, for the sets that do.
   *
   * @default the questions as they were asked
   */
  readonly variant?: 'typos' | 'keywords'
  /**
   * Chunks kept for a question.
   *
   * @default 10
   */
  readonly keep?: number
  /** Changes passages before they are indexed. */
  readonly edit?: (passage: Passage) => Passage
}

/** Reads a set and indexes its corpus. */
export function openQuestionSet(name: string, options: ReadingOptions = {}): SearchableSet {
  const { every = 1, form, storedTwice = false, variant, edit = (passage) => passage } = options
  const corpusOf = name === 'squad-adv' ? 'squad-ooc' : name
  const once = readCorpus(corpusOf).map((line) => edit(passageOf(line)))
  const passages = storedTwice
    ? once.flatMap((passage) => [passage, { ...passage, id: `${passage.id} again`, documentId: `${passage.id} again` }])
    : once
  const lexicon = buildLexicon(
    passages.map(({ text }) => text),
    english,
  )
  const index = new ResidentNamespace()
  passages.forEach(({ id, text }, position) => {
    const frequencies = termFrequencies(text)
    index.put({ position, id, dense: quantise(embed(frequencies)), sparse: passageVector(frequencies) })
  })
  const questions = readQuestions(name, variant)
    .filter((_, at) => at % every === 0)
    .map((labelled, at) =>
      form === undefined ? labelled : { ...labelled, question: normaliseQuestion(form(labelled.question, at)) },
    )
  return { lexicon, questions, search: (words, topK) => searched(words, topK, passages, index) }
}

/** The chunks of a set. */
export function readCorpus(name: string): readonly CorpusLine[] {
  return readLines<CorpusLine>(name, 'corpus.jsonl')
}

/** A line of a corpus as it is indexed. */
export function passageOf({ id, doc_id: documentId, title, text }: CorpusLine): Passage {
  return { id, documentId, title, text }
}

/** The questions of a set; of a noisy form of it those that there are. */
export function readQuestions(set: string, variant?: ReadingOptions['variant']): readonly LabelledQuestion[] {
  const lines =
    variant === undefined
      ? readLines<QuestionLine>(set, 'questions.jsonl')
      : readLines<QuestionLine>(set, 'questions.noisy.jsonl').filter((line) => line.variant === variant)
  return lines.map(({ id, question, answerable, group, relevant_ids: relevantIds }) => ({
    id: variant === undefined ? id : id.slice(0, -`:${variant}`.length),
    question: normaliseQuestion(question),
    answerable,
    group,
    relevantIds,
  }))
}

/** Reads a set and retrieves for each of its questions: hash embeddings and BM25, fused by the convex mix, ten chunks. */
export function readQuestionSet(name: string, options: ReadingOptions = {}): QuestionSet {
  const { lexicon, questions, search } = openQuestionSet(name, options)
  const asked = questions.map((labelled): AskedQuestion => {
    const { question } = labelled
    const found = { idfMass: idfMass(lexicon, terms(question)), topK: options.keep ?? TOP_K }
    return { ...labelled, evidence: fuseConvex(search(question, TOP_K), found) }
  })
  return { name, lexicon, questions: asked }
}

function searched(
  words: string,
  topK: number,
  passages: readonly Passage[],
  index: ResidentNamespace,
): readonly Ranking[] {
  const frequencies = termFrequencies(words)
  const dense = embed(frequencies, (term) => index.idf(dimensionOf(term)))
  const ranking = (kind: ScoreKind, rows: readonly ScoredRow[], scoreOf: (score: number) => number): Ranking => ({
    kind,
    entries: rows.map(({ slot, score }) => ({ passage: passages[slot]!, score: scoreOf(score) })),
  })
  return [
    // The index says (1 + cosine) / 2, as Upstash does; the adapter turns it back.
    ranking('cosine', index.searchDense(dense, topK), (score) => 2 * score - 1),
    ranking('bm25', index.searchSparse(questionVector(frequencies), topK, 'IDF'), (score) => score),
  ]
}

function readLines<Row>(set: string, file: string): Row[] {
  return readFileSync(join(DATA, set, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}
