/** The development question sets, with the word index's retrieval. Read from `../shared/data`. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Passage, Ranking } from '../../src/core/evidence/chunk.ts'
import type { Evidence } from '../../src/core/evidence/evidence.ts'
import { fuse } from '../../src/core/evidence/fusion.ts'
import { buildLexicon, idfMass, type Lexicon } from '../../src/core/text/lexicon.ts'
import { normaliseQuestion } from '../../src/core/text/normalise.ts'
import { english } from '../../src/language/english/english.ts'
import { terms } from '../../src/language/english/terms.ts'
import { okapi } from '../../packages/word-index/src/okapi.ts'

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data')

/** Chunks retrieved per question, as in the gate's default. */
const TOP_K = 10

/** A labelled question with its evidence. */
export interface AskedQuestion extends LabelledQuestion {
  readonly evidence: Evidence
}

/** A corpus, its questions, and its lexicon. */
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

/** Whether the sets are available. */
export function haveQuestionSets(): boolean {
  return existsSync(DATA)
}

/** A set with a searchable index. */
export interface SearchableSet {
  readonly lexicon: Lexicon
  readonly questions: readonly LabelledQuestion[]
  /** What the word index finds for these words, by its own scores over every passage. */
  readonly search: (words: string, topK: number) => readonly Ranking[]
}

/** A labelled question. */
export interface LabelledQuestion {
  /** Unique in its set; a noisy variant has the id of its original. */
  readonly id: string
  /** Normalised. */
  readonly question: string
  readonly answerable: boolean
  /** The article or page that it is about: questions of one group belong together. */
  readonly group: string
  /** Ids of the passages that answer it; empty for an unanswerable one. */
  readonly relevantIds: readonly string[]
}

/** One set per family of questions. Every choice or fit is evaluated on a family that was left out of it. */
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

/** Options of reading a set. */
export interface ReadingOptions {
  /**
   * Takes every n-th question, beginning with the first.
   *
   * @default 1
   */
  readonly every?: number
  /** Makes a variant of each question; `at` is its position in the file. */
  readonly form?: (question: string, at: number) => string
  /**
   * Indexes every passage twice.
   *
   * @default false
   */
  readonly storedTwice?: boolean
  /**
   * Reads the noisy variants that some sets have.
   *
   * @default the original questions
   */
  readonly variant?: 'typos' | 'keywords'
  /**
   * Chunks kept per question.
   *
   * @default 10
   */
  readonly keep?: number
  /** Changes passages before they are indexed. */
  readonly edit?: (passage: Passage) => Passage
}

/** Reads a set and indexes its corpus. @param name of a development set, or another set's absolute path */
export function openQuestionSet(name: string, options: ReadingOptions = {}): SearchableSet {
  const { every = 1, form, storedTwice = false, variant, edit = (passage) => passage } = options
  const corpusOf = name === 'squad-adv' ? 'squad-ooc' : name
  const once = readCorpus(corpusOf).map((line) => edit(passageOf(line)))
  const passages = storedTwice
    ? once.flatMap((passage) => [passage, { ...passage, id: `${passage.id} again`, documentId: `${passage.id} again` }])
    : once
  const questions = readQuestions(name, variant)
    .filter((_, at) => at % every === 0)
    .map((labelled, at) =>
      form === undefined ? labelled : { ...labelled, question: normaliseQuestion(form(labelled.question, at)) },
    )
  return searchable(passages, questions)
}

/** The same for given passages. */
export function searchable(passages: readonly Passage[], questions: readonly LabelledQuestion[]): SearchableSet {
  const lexicon = buildLexicon(
    passages.map(({ text }) => text),
    english,
  )
  const counted = countedPassages(passages)
  return { lexicon, questions, search: (words, topK) => [searched(words, topK, counted)] }
}

/** The chunks of a set. */
export function readCorpus(name: string): readonly CorpusLine[] {
  return readLines<CorpusLine>(name, 'corpus.jsonl')
}

/** A line of a corpus as it is indexed. */
export function passageOf({ id, doc_id: documentId, title, text }: CorpusLine): Passage {
  return { id, documentId, title, text }
}

/** The questions of a set, or their noisy variants. */
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

/** Reads a set and retrieves ten chunks for each of its questions. */
export function readQuestionSet(name: string, options: ReadingOptions = {}): QuestionSet {
  const { lexicon, questions, search } = openQuestionSet(name, options)
  const asked = questions.map((labelled): AskedQuestion => {
    const { question } = labelled
    const found = { idfMass: idfMass(lexicon, terms(question)), topK: options.keep ?? TOP_K }
    return { ...labelled, evidence: fuse(search(question, TOP_K), found) }
  })
  return { name, lexicon, questions: asked }
}

/** Passages with their terms, and an inverted index. */
interface CountedPassages {
  readonly passages: readonly Passage[]
  readonly terms: readonly (readonly string[])[]
  readonly words: number
  /** Positions of the passages with a term. */
  readonly holding: ReadonlyMap<string, readonly number[]>
}

function countedPassages(passages: readonly Passage[]): CountedPassages {
  const found = passages.map(({ text }) => terms(text))
  const holding = new Map<string, number[]>()
  for (const [at, each] of found.entries()) {
    for (const term of new Set(each)) {
      const places = holding.get(term)
      if (places === undefined) holding.set(term, [at])
      else places.push(at)
    }
  }
  return { passages, terms: found, words: found.reduce((sum, each) => sum + each.length, 0), holding }
}

function searched(question: string, topK: number, counted: CountedPassages): Ranking {
  const asked = [...new Set(terms(question))].flatMap((term) => {
    const places = counted.holding.get(term)
    return places === undefined ? [] : [[term, places] as const]
  })
  const holding = new Map(asked.map(([term, places]) => [term, places.length]))
  const totals = { passages: counted.passages.length, words: counted.words, holding }
  const entries = [...new Set(asked.flatMap(([, places]) => places))]
    .map((at) => ({ passage: counted.passages[at]!, score: okapi([counted.terms[at]!], totals) }))
    .sort((a, b) => b.score - a.score)
  return { kind: 'bm25', entries: entries.slice(0, topK) }
}

function readLines<Row>(set: string, file: string): Row[] {
  return readFileSync(resolve(DATA, set, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
}
