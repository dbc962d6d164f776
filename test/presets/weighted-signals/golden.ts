/** Document 001 against its golden file: `weightedSignals`, its record, its bands and its formula. */
import type { Ranking, ScoreKind } from '../../../src/core/evidence/chunk.ts'
import {
  confidenceRecord,
  interpret,
  isFlagged,
} from '../../../packages/presets/src/weighted-signals/confidence-record.ts'
import { collect, rankBy } from '../../../src/core/evidence/evidence.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { bandOf, judge } from '../../../src/core/policy/judge.ts'
import {
  weightedSignals,
  type WeightedSignalsOptions,
} from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { isRagGateError } from '../../../src/errors.ts'
import { aPassage, signalsOf } from '../../fixtures/evidence.ts'
import { type Compared, compareAll, type Figure, numberOf } from '../../golden/vectors.ts'
import { measure } from '../../fixtures/english.ts'

type GoldenChunk = Readonly<Record<string, Figure | string | null>>

/** The numbers of a vector, by the names they have there. */
export type Raw = Readonly<Record<string, Figure | boolean | string>>

/** One retrieval with the older code's numbers, record and recommendations. */
export interface SignalVector {
  readonly id: string
  readonly chunks: readonly GoldenChunk[]
  readonly thresholds: Readonly<Record<string, number>>
  readonly rounding_risky?: readonly string[]
  readonly expect: {
    readonly throws?: string
    readonly raw?: Raw
    readonly dict?: Raw
    readonly recommendation_codes?: readonly string[]
  }
}

/** The file. */
export interface SignalGolden {
  readonly vectors: readonly SignalVector[]
  readonly bands: readonly {
    readonly thresholds: readonly [number, number, number]
    readonly overall: number
    readonly interpretation: string
    readonly should_flag: boolean
  }[]
  readonly formula: readonly { readonly in: Raw; readonly overall: number }[]
}

/** Ranking scores first, in the order in which the document reads them. */
const KINDS: Readonly<Record<string, ScoreKind>> = {
  rerank_score: 'cross-encoder',
  boosted_score: 'boosted',
  rrf_score: 'rrf',
  score: 'convex',
  bm25_score: 'bm25',
  dense_score: 'cosine',
  graph_boost: 'graph-boost',
}

const OPTIONS: Readonly<Record<string, keyof WeightedSignalsOptions>> = {
  high_confidence_threshold: 'high',
  medium_confidence_threshold: 'medium',
  low_confidence_threshold: 'low',
  consensus_threshold: 'consensusFrom',
}

/** The number meant by a member of a vector. */
export const valueOf = (value: Raw[string] | null | undefined): number =>
  typeof value === 'string' || typeof value === 'boolean' ? Number(value) : numberOf(value)

/** What an adapter would hand over: a method that says nothing about a chunk does not list it. */
function rankingsOf(chunks: readonly GoldenChunk[]): readonly Ranking[] {
  return Object.entries(KINDS).flatMap(([field, kind], at) => {
    const entries = chunks.flatMap((chunk, index) => {
      // A chunk without any score was still handed over, by the first method.
      const unscored = at === 0 && Object.keys(KINDS).every((name) => (chunk[name] ?? null) === null)
      if (!unscored && (chunk[field] ?? null) === null) return []
      // The plain score of a search, which the document reads last. A convex mix is read before ranks here.
      if (field === 'score' && (chunk.rrf_score ?? null) !== null) return []
      const section = chunk.section_id
      const passage = aPassage(`chunk-${index}`, {
        documentId: typeof chunk.document_id === 'string' ? chunk.document_id : '',
        ...(typeof section === 'string' ? { section } : {}),
      })
      return [{ passage, score: valueOf(chunk[field]) }]
    })
    return entries.length === 0 ? [] : [{ kind, entries }]
  })
}

/** What the profile makes of a vector, or the code of the error. */
export function assess({ chunks, thresholds }: SignalVector) {
  const options: WeightedSignalsOptions = Object.fromEntries(
    Object.entries(thresholds).map(([name, value]) => [OPTIONS[name] ?? name, value]),
  )
  try {
    const rankings = rankingsOf(chunks)
    const { collected, dropped } = collect(rankings)
    const evidence = rankBy('convex', collected, { kinds: rankings.map(({ kind }) => kind), dropped, topK: 100 })
    const signals = measure('question', evidence, EMPTY_LEXICON)
    const { confidence, band } = judge(weightedSignals(options), signals)
    const record = confidenceRecord({ signals, confidence, band }, options)
    const { retrieval } = signals
    const raw: Raw = {
      overall_confidence: confidence,
      top_score: retrieval.topScore,
      score_gap: retrieval.scoreGap,
      score_spread: retrieval.scoreSpread,
      consensus_count: record.consensus_count,
      bm25_dense_agreement: retrieval.bm25DenseAgreement,
      reranker_impact: retrieval.rerankerImpact,
      graph_support: retrieval.graphSupport,
      document_diversity: retrieval.documentDiversity,
      interpretation: record.interpretation,
      should_flag: record.should_flag_for_review,
    }
    return { raw, record, signals, confidence }
  } catch (thrown) {
    return isRagGateError(thrown) ? thrown.code : 'unexpected'
  }
}

/** Names of the numbers that are not the same. */
export function differing(actual: Raw, expected: Readonly<Record<string, number>>): readonly string[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    name in actual && !(Math.abs(Number(actual[name]) - value) <= 1e-12) ? [name] : [],
  )
}

/** A record without some of its members. */
export const without = (record: object, names: readonly string[] = []): unknown =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))

/** What is given here instead: the code of an error, or the members that differ, with their values. */
function sayDifference(
  assessed: Exclude<ReturnType<typeof assess>, string>,
  { expect: { raw, dict } }: SignalVector,
): string {
  if (raw === undefined || dict === undefined) return 'no error'
  const { record } = assessed
  const unlike = Object.keys(record).filter((name) => {
    const member = name as keyof typeof record
    return JSON.stringify(record[member]) !== JSON.stringify(dict[name]) && typeof record[member] !== 'object'
  })
  // Differences that three decimals do not show are named all the same.
  const names = unlike.length > 0 ? unlike : differing(assessed.raw, numbersOf(raw))
  return names.map((name) => `${name} ${String(record[name as keyof typeof record])}`).join(', ')
}

/** The numbers of a vector without its texts. */
function numbersOf(raw: Raw): Record<string, number> {
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) => (typeof value === 'string' ? [] : [[name, valueOf(value)]])),
  )
}

function compareVector(vector: SignalVector): Compared {
  const {
    id,
    expect: { throws, raw, dict },
    rounding_risky: risky,
  } = vector
  const assessed = assess(vector)
  if (typeof assessed === 'string') {
    return { id, agrees: throws !== undefined && assessed === 'retriever_bad_response', here: assessed }
  }
  const agrees =
    throws === undefined &&
    raw !== undefined &&
    dict !== undefined &&
    differing(assessed.raw, numbersOf(raw)).length === 0 &&
    JSON.stringify(without(assessed.record, risky)) === JSON.stringify(without(dict, risky))
  return { id, agrees, here: agrees ? '' : sayDifference(assessed, vector) }
}

/** Signals with the figures of a formula vector; the consensus is that many scores above the threshold. */
function signalsWith(figures: Raw): Signals {
  const chunkCount = valueOf(figures.total_chunks)
  const agreeing = valueOf(figures.consensus_count)
  return signalsOf({
    chunkCount,
    retrieval: {
      ...signalsOf().retrieval,
      scores: Array.from({ length: chunkCount }, (_, at) => (at < agreeing ? 0.8 : 0)),
      topScore: valueOf(figures.top_score),
      scoreGap: valueOf(figures.score_gap),
      scoreSpread: valueOf(figures.score_spread),
      bm25DenseAgreement: valueOf(figures.bm25_dense_agreement),
      rerankerImpact: valueOf(figures.reranker_impact),
      graphSupport: figures.graph_support === true,
      documentDiversity: valueOf(figures.document_diversity),
    },
  })
}

function compareFormula({ in: figures, overall }: SignalGolden['formula'][number], at: number): Compared {
  const { verdict, reason, confidence } = judge(weightedSignals(), signalsWith(figures))
  const agrees = Math.abs(confidence - overall) <= 1e-12 && reason !== 'confidence_unavailable'
  return { id: String(at), agrees, here: `${verdict}, ${reason}` }
}

/** Every section. */
export function compareDocument001(golden: SignalGolden): Readonly<Record<string, readonly Compared[]>> {
  return {
    vectors: golden.vectors.map(compareVector),
    bands: compareAll(
      golden.bands,
      (_, at) => String(at),
      ({ interpretation, should_flag }) => ({ interpretation, should_flag }),
      ({ thresholds: [high, medium, low], overall }) => {
        const band = bandOf({ high, medium, low }, overall)
        return { interpretation: interpret(band, 1), should_flag: isFlagged({ band, signals: signalsOf() }) }
      },
    ),
    formula: golden.formula.map(compareFormula),
  }
}
