/**
 * Candidate signals for `balanced`: those of `OF_FEATURES`, and rejected ones. All are functions of the same text
 * features, so that they are comparable; constants are those of the literature where it names one.
 */
import { populationDeviation as standardDeviation } from '../../packages/calibration/src/correlation.ts'
import { meanOf as mean } from '../../src/core/lib/statistics.ts'
import { OF_FEATURES } from '../../src/core/signals/text-signals.ts'
import { type ChunkFeatures, read, type TextFeatures } from '../../src/core/signals/text-features.ts'
import type { Lexicon } from '../../src/core/text/lexicon.ts'
import type { AskedQuestion } from './question-sets.ts'
import { terms } from '../../src/language/english/terms.ts'
import { english } from '../../src/language/english/english.ts'
import { createTermReader } from '../../src/core/text/term-reader.ts'

const READER = createTermReader(english)

/** Input of a candidate. */
interface Measured extends TextFeatures {
  readonly question: AskedQuestion
}

type Candidate = (measured: Measured) => number

const idfs = ({ questionTerms }: TextFeatures): readonly number[] => questionTerms.map(({ idf }) => idf)
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const best = (values: readonly number[]): number => Math.max(0, ...values)
const lead = (values: readonly number[]): number => {
  const [top = 0, second = top] = [...values].sort((a, b) => b - a)
  return top - second
}
/** BM25 of each chunk divided by the question's idf mass, highest first. */
const curve = ({ chunks, idfMass }: TextFeatures): readonly number[] =>
  chunks.map(({ bm25 }) => bm25 / (idfMass || 1)).sort((a, b) => b - a)
const spread = (values: readonly number[]): number => (values.length > 1 ? standardDeviation(values) : 0)

/** Share of the question's idf in a chunk; `near` also credits terms with a common prefix. */
function coverage(features: TextFeatures, { counts, nearness }: ChunkFeatures, near = false): number {
  const held = idfs(features).map((idf, at) => idf * (counts[at]! > 0 ? 1 : near ? nearness[at]! : 0))
  return sum(held) / (features.idfMass || 1)
}

/** Share of the question's idf in any of the first chunks. */
function foundAmong(features: TextFeatures, first: number): number {
  const read = features.chunks.slice(0, first)
  const held = idfs(features).map((idf, at) => (read.some(({ counts }) => counts[at]! > 0) ? idf : 0))
  return sum(held) / (features.idfMass || 1)
}

/** The best sentence, with other constants than in `sentenceMatch`. */
function sentenceMatchWith(prior: number, power: number, titleWeight: number): Candidate {
  return (features) => {
    const idf = idfs(features)
    const squares = sum(idf.map((value) => value * value))
    const weights = idf.map((value) => value ** power)
    const whole = sum(weights) || 1
    const scores = features.chunks.flatMap(({ sentences, titled }) =>
      sentences.map(({ held, squaredIdf }) => {
        const said = weights.map(
          (weight, at) => weight * (held.includes(at) ? 1 : titled.includes(at) ? titleWeight : 0),
        )
        return (sum(said) / whole) * Math.sqrt(squares / (squaredIdf() + (prior * squares) / idf.length))
      }),
    )
    return Math.min(1, best(scores))
  }
}

/** Jelinek–Mercer likelihood of the best chunk, with another mixture, and with or without near terms. */
function likelihoodWith(fromChunk: number, near: boolean): Candidate {
  return ({ questionTerms, chunks }) => {
    const gain = (share: (at: number) => number): number =>
      sum(questionTerms.map(({ rate }, at) => Math.log((fromChunk * share(at)) / rate + 1 - fromChunk)))
    const reachable = gain(() => 1 / questionTerms.length)
    const gains = chunks
      .slice(0, 5)
      .map(({ counts, nearness, length }) =>
        gain((at) => (length > 0 ? (counts[at]! + (near ? nearness[at]! : 0)) / length : 0)),
      )
    return reachable > 0 ? Math.min(1, best(gains) / reachable) : 0
  }
}

/** Share of the question's adjacent pairs of terms that are adjacent in the three best chunks. */
function pairCoverage({ question }: Measured): number {
  const asked = terms(question.question)
  const pairs = asked.slice(1).map((term, at): [string, string] => [asked[at]!, term])
  const sentences = question.evidence.chunks.slice(0, 3).flatMap(({ text }) => READER.sentences(text))
  const held = pairs.filter(([a, b]) =>
    sentences.some((part) =>
      part.some((term, at) => (term === a && part[at + 1] === b) || (term === b && part[at + 1] === a)),
    ),
  )
  return pairs.length > 0 ? held.length / pairs.length : 0
}

/** Rejected candidates besides `OF_FEATURES`, by name. */
const NOT_KEPT: Readonly<Record<string, Candidate>> = {
  'BM25: lead over the second': (features) => lead(curve(features)),
  'coverage of the best chunk': (features) => best(features.chunks.map((chunk) => coverage(features, chunk))),
  'coverage with near terms, top 3': (features) =>
    best(features.chunks.slice(0, 3).map((chunk) => coverage(features, chunk, true))),
  'lead in coverage': (features) => lead(features.chunks.map((chunk) => coverage(features, chunk))),
  'idf found in the top 3': (features) => foundAmong(features, 3),
  'rarest term missing in the top 3': (features) => {
    const read = features.chunks.slice(0, 3)
    const missing = idfs(features).filter((_, at) => !read.some(({ counts }) => counts[at]! > 0))
    return -best(missing) / (best(idfs(features)) || 1)
  },
  'sentence coverage × BM25': (features) => OF_FEATURES.sentenceCoverage(features) * OF_FEATURES.topBm25(features),
  'BM25: z of the best': (features) => {
    const scores = curve(features)
    return spread(scores) > 0 ? ((scores[0] ?? 0) - mean(scores)) / spread(scores) : 0
  },
  'BM25: spread of the scores': (features) => spread(curve(features)),
  'BM25: entropy of the scores': (features) => {
    const scores = curve(features)
    const whole = sum(scores)
    if (!(whole > 0) || scores.length < 2) return -1
    return (
      sum(scores.map((score) => (score > 0 ? (score / whole) * Math.log(score / whole) : 0))) / Math.log(scores.length)
    )
  },
  'BM25: mean of the best five': (features) => mean(curve(features).slice(0, 5)),
  'pairs of terms in the top 3': pairCoverage,
}

/** Other constants for signals of the model, by the signal that they would replace. */
const VARIANTS: Readonly<Record<string, Readonly<Record<string, Candidate>>>> = {
  questionLikelihood: {
    'without near terms': likelihoodWith(0.7, false),
    '.5 from the chunk': likelihoodWith(0.5, true),
    '.9 from the chunk': likelihoodWith(0.9, true),
  },
  sentenceMatch: {
    'no prior terms': sentenceMatchWith(0, 1, 0.5),
    '2 prior terms': sentenceMatchWith(2, 1, 0.5),
    '8 prior terms': sentenceMatchWith(8, 1, 0.5),
    'idf to the power of 1.5': sentenceMatchWith(4, 1.5, 0.5),
    'idf squared': sentenceMatchWith(4, 2, 0.5),
    'nothing from the title': sentenceMatchWith(4, 1, 0),
    'all from the title': sentenceMatchWith(4, 1, 1),
    'coverage instead': OF_FEATURES.sentenceCoverage,
  },
}

/** A variant of a signal in the model. */
export interface Variant {
  readonly replaces: string
  readonly name: string
}

/** All variants. */
export const SIGNAL_VARIANTS: readonly Variant[] = Object.entries(VARIANTS).flatMap(([replaces, variants]) =>
  Object.keys(variants).map((name) => ({ replaces, name })),
)

/** All candidates by name; variants as `signal: variant`. */
const CANDIDATES: Readonly<Record<string, Candidate>> = {
  ...OF_FEATURES,
  ...NOT_KEPT,
  ...Object.fromEntries(
    Object.entries(VARIANTS).flatMap(([signal, variants]) =>
      Object.entries(variants).map(([name, candidate]) => [`${signal}: ${name}`, candidate]),
    ),
  ),
}

/** Names of the signals that may be chosen. */
export const CHOICES: readonly string[] = [...Object.keys(OF_FEATURES), ...Object.keys(NOT_KEPT)]

/** The lexical ones of the ten signals of an earlier model, measured on its own retrieval. */
export const TEN_SIGNALS: readonly string[] = [
  'sentenceCoverage',
  'topBm25',
  'sentence coverage × BM25',
  'BM25: lead over the second',
  'BM25: z of the best',
  'coverage with near terms, top 3',
  'pairs of terms in the top 3',
  'rarest term missing in the top 3',
]

/** All candidates of a question. */
export function measureCandidates(question: AskedQuestion, lexicon: Lexicon): Readonly<Record<string, number>> {
  const measured: Measured = { ...read(question.question, question.evidence, lexicon, READER), question }
  return Object.fromEntries(Object.entries(CANDIDATES).map(([name, candidate]) => [name, candidate(measured)]))
}
