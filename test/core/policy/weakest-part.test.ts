import { expect, it } from 'vitest'
import { logistic } from '../../../src/core/policy/logistic.ts'
import { weakestPart } from '../../../src/core/policy/weakest-part.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'

const { model, settings } = weakestPart(
  logistic({ intercept: -2, weights: { sentenceCoverage: 4 }, provenance: 'test' }),
)

/** The confidence where the whole is covered, one part wholly and the other by half. */
function confidence(half: object): number {
  const parts = [{ sentenceCoverage: 1 }, { sentenceCoverage: 0.5, ...half }]
  return model.confidence(settings, { sentenceCoverage: 1, parts, stretches: [] } as unknown as Signals)
}

it('a part that alone asks is not lifted by what the others state', () => {
  expect(confidence({ asksAlone: 1, leans: 1 })).toBeCloseTo(0.5)
})

it('a part is lifted where the passage that supports the whole holds something of it', () => {
  expect(confidence({ leans: 1 })).toBeGreaterThan(0.75)
  expect(confidence({})).toBeCloseTo(0.5)
})

it('what would be refused by itself gets no answer without a caution behind what is supported', () => {
  const refused = { sentenceCoverage: 0.549 } // A confidence of .549.
  expect(confidence({ ...refused, leans: 1 })).toBeLessThan(0.8)
})
