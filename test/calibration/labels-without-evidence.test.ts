import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import type { AdjustedSettings } from '../../packages/calibration/src/adjusted-confidence.ts'
import { calibratePolicy, type CalibrationLabel } from '../../packages/calibration/src/calibrate-policy.ts'
import { judge } from '../../src/core/policy/judge.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { aCurve, signalsOf } from '../fixtures/evidence.ts'

const policy = balanced()

/** Labels of both kinds in turn, all read. */
function read(count: number): CalibrationLabel[] {
  const random = seededRandom(4)
  return Array.from({ length: count }, (_, at) => {
    const answerable = at % 2 === 0
    const curves = { cosine: aCurve(random(), 0), 'cross-encoder': aCurve((answerable ? 0.4 : 0) + 0.6 * random(), 0) }
    return { answerable, group: `read ${at}`, signals: signalsOf({ sentenceMatch: random() / 2, curves }) }
  })
}

/** Labels of questions for which nothing was retrieved. */
function unfound(count: number, answerable = false): CalibrationLabel[] {
  // One that the general confidence would answer.
  const signals = signalsOf({ chunkCount: 0, curves: {}, sentenceMatch: 0.9, questionLikelihood: 0.9, titleMatch: 1 })
  return Array.from({ length: count }, (_, at) => ({ answerable, group: `unfound ${at}`, signals }))
}

function calibrated(labels: readonly CalibrationLabel[], fit?: 'weights' | 'thresholds') {
  const found = calibratePolicy(policy, labels, { name: 'mine', ...(fit && { fit }) })
  if (found.kind !== 'calibrated') throw new Error(found.statement)
  return { ...found, settings: found.policy.confidence.settings as unknown as AdjustedSettings }
}

describe('labels of questions for which nothing was retrieved', () => {
  it('leave the fitted confidence as it is, since no confidence answers such a question', () => {
    for (const answerable of [false, true]) {
      const { provenance: _, ...settings } = calibrated([...read(120), ...unfound(3, answerable)]).settings
      const { provenance: __, ...without } = calibrated(read(120)).settings
      expect(settings).toEqual(without)
      expect(settings).not.toHaveProperty('unread')
      expect(Object.keys(settings.weights)).toContain('cross-encoder.top')
    }
    const byWords = read(120).map((label) => {
      const { cosine } = label.signals.curves!
      return { ...label, signals: { ...label.signals, curves: { cosine: cosine! } } }
    })
    expect(calibrated([...byWords, ...unfound(1)], 'weights').settings.weights).toHaveProperty('cosine.top')
  })

  it('count as refused at every threshold', () => {
    const given = [...read(120), ...unfound(40)]
    for (const fit of ['thresholds', 'weights'] as const) {
      const found = calibrated(given, fit)
      expect(found.labels).toEqual({ answerable: 60, unanswerable: 100 })
      expect(found.refuse.falseAcceptances.labels).toBe(100)
      expect(found.refuse.threshold).toBeLessThanOrEqual(calibrated(read(120), fit).refuse.threshold)
      expect(judge(found.policy, given.at(-1)!.signals).verdict).toBe('refuse')
    }
    // One of a hundred may be answered, or one more where interpolated.
    const { refuse } = calibrated(given, 'thresholds')
    expect(refuse.falseAcceptances.hits).toBeGreaterThan(0)
  })
})
