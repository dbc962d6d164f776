import { describe, expect, it } from 'vitest'
import type { Scores } from '../../../src/core/evidence/chunk.ts'
import { bm25DenseAgreement } from '../../../packages/presets/src/weighted-signals/bm25-dense-agreement.ts'
import { scoredEvidence } from '../../fixtures/evidence.ts'

const agreement = (...scores: Scores[]) =>
  bm25DenseAgreement(scoredEvidence(scores.map((each) => ({ scores: each }))).chunks)

describe('bm25DenseAgreement', () => {
  const both = [
    { bm25: 3, cosine: 0.9 },
    { bm25: 2, cosine: 0.6 },
    { bm25: 1, cosine: 0.3 },
  ]

  it('uses only chunks with numeric scores of both methods', () => {
    expect(agreement(...both)).toEqual({ agreement: expect.closeTo(1, 12), comparable: true })
    const beside = [{ bm25: 9 }, { cosine: -1 }, { bm25: NaN, cosine: -1 }, {}]
    expect(agreement(...both, ...beside)).toEqual(agreement(...both))
  })

  it('is .5 when it cannot be computed, and 0 without chunks', () => {
    expect(agreement({ bm25: 3 }, { cosine: 0.9 })).toEqual({ agreement: 0.5, comparable: false })
    expect(agreement()).toEqual({ agreement: 0, comparable: false })
  })
})
