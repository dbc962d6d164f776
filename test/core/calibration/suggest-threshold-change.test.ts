import { describe, expect, it } from 'vitest'
import { suggestThresholdChange } from '../../../src/core/calibration/suggest-threshold-change.ts'
import { multiGate } from '../../../src/core/profiles/multi-gate.ts'
import { twoTier } from '../../../src/core/profiles/two-tier.ts'

const counted = (rate: number | null, labels = 1000) => ({ rate, labels })
const suggest = (refused: number | null, hallucinated: number | null, labels = 1000, policy = multiGate()) =>
  suggestThresholdChange(policy, {
    falseRefusals: counted(refused, labels),
    hallucinations: counted(hallucinated, labels),
  })

describe('suggestThresholdChange', () => {
  it('raises the confidence asked of the model first, in a new policy, one setting at a time', () => {
    const { action, change } = suggest(0.2, 0.05)
    expect([action, change?.gate, change?.from, change?.to]).toEqual(['raise', 'generation-confidence', 0.6, 0.65])
    expect(change?.policy.id).toBe(multiGate({ refuseBelowConfidence: 0.65 }).id)
  })

  it('lowers the similarity when answers are safe and too many questions are refused', () => {
    const { action, change } = suggest(0.2, 0)
    expect([action, change?.gate, change?.from, change?.to]).toEqual(['lower', 'min-top-cosine', 0.7, 0.65])
  })

  it.each([
    ['too few labels', 0.5, 0.5, 99],
    ['rates at their bounds', 0.1, 0.01, 1000],
    ['false refusals alone, with nothing known of the answers', 0.5, null, 1000],
    ['nothing counted', null, null, 0],
  ])('keeps the thresholds for %s', (_, refused, hallucinated, labels) => {
    const { action, change } = suggest(refused, hallucinated, labels)
    expect([action, change]).toEqual(['keep', undefined])
  })

  it('says what should change also where there is nothing to change', () => {
    expect(suggest(0, 0.5, 1000, twoTier())).toEqual({ action: 'raise', because: expect.any(String) })
  })

  it('takes no rate that is none', () => {
    for (const rate of [NaN, -0.1, 1.1]) expect(() => suggest(rate, 0)).toThrow(/falseRefusals/)
  })
})
