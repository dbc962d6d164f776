/** The confidence model of `weightedSignals`: a weighted sum of seven retrieval signals, each normalised to 0..1. */
import { type ConfidenceModel, invalidConfidence } from 'hono-rag-gate/core/policy'
import { clamp01, isRecord } from 'hono-rag-gate/core/lib'
import type { Signals } from 'hono-rag-gate/core/signals'
import { consensusCount } from './consensus.ts'
import { retrieval as retrievalSignal, retrievalOf, type RetrievalSignals } from './retrieval-signals.ts'

/** Weight of each signal, 0..1; they sum to 1. */
export interface SignalWeights {
  /** Best ranking score; reaches 1 at a score of 1. */
  readonly topScore: number
  /** Lead over the second score; reaches 1 at .3. */
  readonly scoreGap: number
  /** Share of chunks that reach `consensusFrom`. */
  readonly consensus: number
  /** Correlation of BM25 and cosine, mapped to 0..1. */
  readonly bm25DenseAgreement: number
  /** Low spread: 1 at a standard deviation of 0, 0 from .2. */
  readonly lowSpread: number
  /** Knowledge graph: 1 if it raised a chunk, .5 otherwise. */
  readonly graphSupport: number
  /** Few documents: 1 − documents per chunk. */
  readonly lowDiversity: number
}

/** The weights of the specification. */
export const SIGNAL_WEIGHTS: SignalWeights = Object.freeze({
  topScore: 0.3,
  scoreGap: 0.2,
  consensus: 0.15,
  bm25DenseAgreement: 0.15,
  lowSpread: 0.1,
  graphSupport: 0.05,
  lowDiversity: 0.05,
})

/** Ranking score from which a chunk counts for the consensus. */
export const DEFAULT_CONSENSUS_FROM = 0.75

/** The model as stored in a policy. */
export interface WeightedSignalsModel {
  readonly kind: 'weighted-signals'
  readonly weights: SignalWeights
  /** Ranking score from which a chunk counts for the consensus, 0..1. Equality counts. */
  readonly consensusFrom: number
  /**
   * How to treat the weight of a signal that does not exist: one chunk has no gap, spread, consensus or diversity;
   * without sparse or dense scores there is no agreement; without a knowledge graph no support. `keep` uses the
   * specification's default value for the signal, `spread` distributes its weight among the signals that exist.
   */
  readonly absentWeight: 'keep' | 'spread'
}

/** Score gap at which the signal reaches 1. */
const FULL_GAP = 0.3
/** Score spread at which the signal reaches 0. */
const FULL_SPREAD = 0.2
const WITHOUT_GRAPH = 0.5
const NAMES = Object.keys(SIGNAL_WEIGHTS) as (keyof SignalWeights)[]

/** The model behind `weightedSignals`. */
export const weightedSignalsModel: ConfidenceModel<WeightedSignalsModel> = Object.freeze({
  kind: 'weighted-signals',
  validate: validateWeightedSignals,
  reads: () => [retrievalSignal],
  confidence: weightedConfidence,
})

/** @throws `policy_invalid` if a weight is outside 0..1, they do not sum to 1, or another setting is out of range */
function validateWeightedSignals({ weights, consensusFrom, absentWeight }: WeightedSignalsModel): void {
  if (!isRecord(weights)) throw invalidConfidence(': the weights must name signals')
  let total = 0
  for (const name of NAMES) {
    const weight: unknown = weights[name]
    if (!(typeof weight === 'number' && weight >= 0 && weight <= 1)) {
      throw invalidConfidence(`: the weight of ${name} must be a number from 0 to 1`)
    }
    total += weight
  }
  const unknown = Object.keys(weights).find((name) => !Object.hasOwn(SIGNAL_WEIGHTS, name))
  if (unknown !== undefined) throw invalidConfidence(`: there is no signal ${unknown}`)
  if (Math.abs(total - 1) > 1e-9) throw invalidConfidence(': the weights must add up to 1')
  if (!(typeof consensusFrom === 'number' && consensusFrom >= 0 && consensusFrom <= 1)) {
    throw invalidConfidence(': consensusFrom must be a number from 0 to 1', 'consensusFrom')
  }
  if (absentWeight !== 'keep' && absentWeight !== 'spread')
    throw invalidConfidence(': absentWeight must be keep or spread')
}

/** One normalised signal. */
interface Normalised {
  /** 0..1; `NaN` if it was not recorded, or is broken. */
  readonly value: number
  /** Whether it could be measured. */
  readonly exists: boolean
}

/**
 * The weighted sum.
 *
 * @returns 0..1; 0 without chunks; `NaN` if a signal was not recorded or is not finite, or no chunk carries a score
 * @see the specification of weighted-signals, "Overall Confidence Formula"
 */
export function weightedConfidence(model: WeightedSignalsModel, signals: Signals): number {
  if (signals.chunkCount === 0) return 0
  const retrieval = retrievalOf(signals)
  if (!Array.isArray(retrieval?.scores) || retrieval.scores.length === 0) return NaN
  const flags: readonly unknown[] = [retrieval.bm25DenseComparable, retrieval.graphConsulted, retrieval.graphSupport]
  if (!flags.every((flag) => typeof flag === 'boolean')) return NaN
  const normalised = normalise(retrieval, signals.chunkCount, model.consensusFrom)
  let sum = 0
  let weighed = 0
  for (const name of NAMES) {
    const { value, exists } = normalised[name]
    if (!exists && model.absentWeight === 'spread') continue
    sum += model.weights[name] * value
    weighed += model.weights[name]
  }
  if (!Number.isFinite(sum)) return NaN
  if (model.absentWeight === 'keep') return clamp01(sum)
  return weighed > 0 ? clamp01(sum / weighed) : NaN
}

function normalise(
  retrieval: RetrievalSignals,
  chunkCount: number,
  consensusFrom: number,
): Readonly<Record<keyof SignalWeights, Normalised>> {
  const several = retrieval.scores.length > 1
  const usable = retrieval.scores.every((score) => Number.isFinite(score))
  const consensus = usable ? consensusCount(retrieval.scores, consensusFrom) : NaN
  const graph = retrieval.graphSupport ? 1 : WITHOUT_GRAPH
  return {
    topScore: { value: share(retrieval.topScore, 1), exists: true },
    scoreGap: { value: share(retrieval.scoreGap, FULL_GAP), exists: several },
    consensus: { value: share(consensus, chunkCount), exists: several },
    bm25DenseAgreement: { value: share(retrieval.bm25DenseAgreement, 1), exists: retrieval.bm25DenseComparable },
    lowSpread: { value: 1 - share(retrieval.scoreSpread, FULL_SPREAD), exists: several },
    graphSupport: { value: graph, exists: retrieval.graphConsulted },
    lowDiversity: { value: 1 - share(retrieval.documentDiversity, 1), exists: chunkCount > 1 },
  }
}

/** A value divided by its maximum, clamped to 0..1. Missing and non-finite values give `NaN`, never 1. */
function share(value: number, full: number): number {
  return Number.isFinite(value) ? clamp01(value / full) : NaN
}
