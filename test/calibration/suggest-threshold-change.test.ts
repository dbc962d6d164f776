import { describe, expect, it } from 'vitest'
import { suggestThresholdChange } from '../../packages/calibration/src/suggest-threshold-change.ts'
import { multiGate } from '../../packages/presets/src/multi-gate/multi-gate.ts'
import { twoTier } from '../../packages/presets/src/two-tier/two-tier.ts'

const counted = (rate: number | null, labels = 1000) => ({ rate, labels })
const suggest = (refused: number | null, hallucinated: number | null, labels = 1000, policy = multiGate()) =>
  suggestThresholdChange(policy, {
    falseRefusals: counted(refused, labels),
    hallucinations: counted(hallucinated, labels),
  })

describe('suggestThresholdChange', () => {
  it('raises the required generation confidence first, in a new policy, one setting at a time', () => {
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

  it('reports what should change when no gate can be changed', () => {
    expect(suggest(0, 0.5, 1000, twoTier())).toEqual({
      action: 'raise',
      because: 'More than 1 % of the answers say what no passage does',
    })
  })

  it.each([
    [0.2, 0, 1000, 'lower', 'More than 10 % of the answerable questions are refused'],
    [0.2, null, 1000, 'keep', 'Too few labels of answers to lower a threshold safely'],
    [0.1, 0.01, 1000, 'keep', 'Both rates are within their bounds'],
    [0.1, null, 1000, 'keep', 'Too few labels'],
    [null, 0.01, 1000, 'keep', 'Too few labels'],
    [0.05, 0.005, 99, 'keep', 'Too few labels'],
    [0.05, 0.005, 100, 'keep', 'Both rates are within their bounds'],
  ])(
    'for false refusals %j and hallucinations %j over %d labels returns %s: %s',
    (refused, wrong, labels, action, why) => {
      expect(suggest(refused, wrong, labels)).toMatchObject({ action, because: why })
    },
  )

  it('moves the other threshold when the first is at the end of its range', () => {
    const { change } = suggest(0, 0.5, 1000, multiGate({ refuseBelowConfidence: 1 }))
    expect([change?.gate, change?.to]).toEqual(['min-top-cosine', 0.75])
    const { change: lowered } = suggest(0.2, 0, 1000, multiGate({ refuseBelow: 0 }))
    expect([lowered?.gate, lowered?.to]).toEqual(['generation-confidence', 0.55])
    // A cosine may be negative, and lowering never raises.
    const { change: negative } = suggest(0.2, 0, 1000, multiGate({ refuseBelow: -0.2 }))
    expect([negative?.gate, negative?.to]).toEqual(['generation-confidence', 0.55])
    const { change: raised } = suggest(0, 0.5, 1000, multiGate({ refuseBelow: -0.2, refuseBelowConfidence: 1 }))
    expect([raised?.gate, raised?.to]).toEqual(['min-top-cosine', -0.15])
    const { action, change: none } = suggest(0, 0.5, 1000, multiGate({ refuseBelowConfidence: 1, refuseBelow: 1 }))
    expect([action, none]).toEqual(['raise', undefined])
  })

  it.each([[{ minLabels: 0 }], [{ minLabels: NaN }], [{ step: 0 }], [{ step: 1 }], [{ step: -0.1 }], [{ step: NaN }]])(
    'rejects the options %j',
    (options) => {
      const rates = { falseRefusals: counted(0), hallucinations: counted(0) }
      expect(() => suggestThresholdChange(multiGate(), rates, options)).toThrow(
        expect.objectContaining({
          code: 'config_invalid',
          param: 'step',
          message: 'minLabels must be 1 and up, step between 0 and 1',
        }),
      )
      expect(() => suggestThresholdChange(multiGate(), rates, { minLabels: 1, step: 0.5 })).not.toThrow()
    },
  )

  it('rejects a rate outside 0..1', () => {
    for (const rate of [NaN, -0.1, 1.1]) {
      const fault = (param: string) =>
        expect.objectContaining({ code: 'config_invalid', param, message: `${param} must be a rate from 0 to 1` })
      expect(() => suggest(rate, 0)).toThrow(fault('falseRefusals'))
      expect(() => suggest(0, rate)).toThrow(fault('hallucinations'))
    }
    for (const rate of [0, 1]) expect(() => suggest(rate, rate)).not.toThrow()
  })
})
