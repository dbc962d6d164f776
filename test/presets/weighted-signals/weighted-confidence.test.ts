import { describe, expect, it } from 'vitest'
import type { RetrievalSignals } from '../../../packages/presets/src/weighted-signals/retrieval-signals.ts'
import {
  SIGNAL_WEIGHTS,
  type SignalWeights,
  weightedConfidence,
  type WeightedSignalsModel,
  weightedSignalsModel,
} from '../../../packages/presets/src/weighted-signals/weighted-confidence.ts'
import { signalsOf } from '../../fixtures/evidence.ts'

const NONE: SignalWeights = {
  topScore: 0,
  scoreGap: 0,
  consensus: 0,
  bm25DenseAgreement: 0,
  lowSpread: 0,
  graphSupport: 0,
  lowDiversity: 0,
}

const RETRIEVAL: RetrievalSignals = {
  scores: [0.8, 0.8, 0.4, 0.4],
  topScore: 0.8,
  scoreGap: 0,
  scoreSpread: 0,
  bm25DenseAgreement: 0.5,
  bm25DenseComparable: true,
  rerankerImpact: 0,
  graphSupport: false,
  graphConsulted: false,
  documentDiversity: 0.25,
  documentCount: 1,
  sectionCount: 1,
}

/** One signal as it enters the sum: with the whole weight on it, the sum is its normalised value. */
function normalised(name: keyof SignalWeights, given: Partial<RetrievalSignals>, chunkCount = 4): number {
  const weights = { ...NONE, [name]: 1 }
  const signals = signalsOf({ chunkCount, retrieval: { ...RETRIEVAL, ...given } })
  return weightedConfidence({ kind: 'weighted-signals', weights, consensusFrom: 0.75, absentWeight: 'keep' }, signals)
}

describe('the normalisations of document 001', () => {
  it.each([
    ['topScore', 'topScore', -0.5, 0],
    ['topScore', 'topScore', 0, 0],
    ['topScore', 'topScore', 0.37, 0.37],
    ['topScore', 'topScore', 1, 1],
    ['topScore', 'topScore', 12, 1],
    ['scoreGap', 'scoreGap', -0.1, 0],
    ['scoreGap', 'scoreGap', 0, 0],
    ['scoreGap', 'scoreGap', 0.15, 0.5],
    ['scoreGap', 'scoreGap', 0.3, 1],
    ['scoreGap', 'scoreGap', 0.9, 1],
    ['bm25DenseAgreement', 'bm25DenseAgreement', 0, 0],
    ['bm25DenseAgreement', 'bm25DenseAgreement', 0.5, 0.5],
    ['bm25DenseAgreement', 'bm25DenseAgreement', 1, 1],
    ['lowSpread', 'scoreSpread', 0, 1],
    ['lowSpread', 'scoreSpread', 0.05, 0.75],
    ['lowSpread', 'scoreSpread', 0.2, 0],
    ['lowSpread', 'scoreSpread', 0.7, 0],
    ['lowDiversity', 'documentDiversity', 0.25, 0.75],
    ['lowDiversity', 'documentDiversity', 1, 0],
  ] as const)('%s maps a %s of %d to %d', (signal, member, value, expected) => {
    expect(normalised(signal, { [member]: value })).toBeCloseTo(expected, 12)
  })

  it('consensus is the share of all chunks at or above the threshold', () => {
    expect(normalised('consensus', { scores: [0.8, 0.75, 0.7499, 0.1] })).toBe(0.5)
    expect(normalised('consensus', { scores: [0.8, 0.75] })).toBe(0.5)
    expect(normalised('consensus', { scores: [0.8, 0.9, 0.75, 1] })).toBe(1)
    expect(normalised('consensus', { scores: [0.1, 0.2] })).toBe(0)
  })

  it('graph support counts 1 when present and .5 otherwise', () => {
    expect(normalised('graphSupport', { graphSupport: true })).toBe(1)
    expect(normalised('graphSupport', { graphSupport: false })).toBe(0.5)
  })

  it.each(['topScore', 'scoreGap', 'bm25DenseAgreement', 'scoreSpread', 'documentDiversity'] as const)(
    'a broken %s gives NaN',
    (member) => {
      const signal = { scoreSpread: 'lowSpread', documentDiversity: 'lowDiversity' } as const
      const name = member in signal ? signal[member as keyof typeof signal] : (member as keyof SignalWeights)
      for (const broken of [NaN, Infinity, -Infinity]) expect(normalised(name, { [member]: broken })).toBeNaN()
    },
  )

  it('the confidence is the weighted sum of all seven', () => {
    const model = {
      kind: 'weighted-signals',
      weights: SIGNAL_WEIGHTS,
      consensusFrom: 0.75,
      absentWeight: 'keep',
    } as const
    // .3 · .8 + .2 · 0 + .15 · 2/4 + .15 · .5 + .1 · 1 + .05 · .5 + .05 · .75
    expect(weightedConfidence(model, signalsOf({ chunkCount: 4, retrieval: RETRIEVAL }))).toBeCloseTo(0.5525, 12)
  })
})

const MODEL: WeightedSignalsModel = {
  kind: 'weighted-signals',
  weights: SIGNAL_WEIGHTS,
  consensusFrom: 0.75,
  absentWeight: 'keep',
}

describe('the model', () => {
  it.each([
    [{ weights: null }, ': the weights must name signals'],
    [{ weights: 0.5 }, ': the weights must name signals'],
    ...[-0.1, 1.1, NaN, '0.3', undefined].map((topScore): [object, string] => [
      { weights: { ...SIGNAL_WEIGHTS, topScore } },
      ': the weight of topScore must be a number from 0 to 1',
    ]),
    [{ weights: { ...NONE, topScore: 1, luck: 0 } }, ': there is no signal luck'],
    [{ weights: { ...NONE, topScore: 1, toString: 0 } }, ': there is no signal toString'],
    [{ weights: { ...NONE, topScore: 0.5 } }, ': the weights must add up to 1'],
    [{ weights: { ...NONE, topScore: 1, scoreGap: 1e-6 } }, ': the weights must add up to 1'],
    ...[-0.1, 1.1, NaN, '0.5'].map((consensusFrom): [object, string] => [
      { consensusFrom },
      ': consensusFrom must be a number from 0 to 1',
    ]),
    [{ absentWeight: 'drop' }, ': absentWeight must be keep or spread'],
  ])('rejects %j: %s', (given, problem) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', message: expect.stringContaining(problem) })
    expect(() => weightedSignalsModel.validate({ ...MODEL, ...given } as never)).toThrow(fault)
  })

  it('accepts weights of 0 and 1, and both bounds of the consensus', () => {
    const model = { ...MODEL, weights: { ...NONE, topScore: 1 }, absentWeight: 'spread' } as const
    for (const consensusFrom of [0, 1])
      expect(() => weightedSignalsModel.validate({ ...model, consensusFrom })).not.toThrow()
  })

  it('is 0 without chunks, and NaN without scores or for a damaged flag', () => {
    const of = (given: object, chunkCount = 4) =>
      weightedConfidence(MODEL, signalsOf({ chunkCount, retrieval: { ...RETRIEVAL, ...given } }))
    expect(of({}, 0)).toBe(0)
    expect(of({ scores: [] })).toBeNaN()
    for (const flag of ['bm25DenseComparable', 'graphConsulted', 'graphSupport'])
      for (const value of [undefined, null, 'true', 1]) expect(of({ [flag]: value })).toBeNaN()
  })

  it('spreads no weight if no weighted signal exists', () => {
    const weights = { ...NONE, graphSupport: 1 }
    const signals = signalsOf({ chunkCount: 4, retrieval: RETRIEVAL })
    expect(weightedConfidence({ ...MODEL, weights, absentWeight: 'spread' }, signals)).toBeNaN()
    expect(weightedConfidence({ ...MODEL, weights, absentWeight: 'keep' }, signals)).toBe(0.5)
  })
})
