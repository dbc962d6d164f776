import { expect, it } from 'vitest'
import { confidenceBy } from '../../../src/core/policy/confidence.ts'
import { logistic } from '../../../src/core/policy/logistic.ts'
import { weakestPart } from '../../../src/core/policy/weakest-part.ts'
import { REFUSED_BELOW } from '../../../src/core/scale/index.ts'
import { measureSignals, type Signals, subjectOf } from '../../../src/core/signals/measure.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

const { model, settings } = weakestPart(
  logistic({ intercept: -2, weights: { sentenceCoverage: 4 }, provenance: 'test' }),
)

/** The confidence where the whole is covered, one part wholly and the other by half. */
function confidence(half: object): number {
  const parts = [{ sentenceCoverage: 1 }, { sentenceCoverage: 0.5, ...half }]
  return model.confidence(settings, { sentenceCoverage: 1, parts, stretches: [] } as unknown as Signals)
}

it('a part has a higher confidence when the best passage contains a term of it', () => {
  expect(confidence({ leans: 1 })).toBeGreaterThan(0.75)
  expect(confidence({})).toBeCloseTo(0.5)
})

it('a part that would be refused alone, beside a supported part, never gets an answer without a caution', () => {
  const refused = { sentenceCoverage: 0.549 } // A confidence of .549.
  expect(confidence({ ...refused, leans: 1 })).toBeLessThan(0.8)
})

/** Of a whole of .88, log-odds 2, with those pieces. */
const within = (
  pieces: Partial<Record<'parts' | 'stretches', readonly object[]>> & { scale?: object; questionTermCount?: number },
  whole = 1,
): number =>
  model.confidence(settings, { sentenceCoverage: whole, parts: [], stretches: [], ...pieces } as unknown as Signals)
const logOdds = (share: number): number => Math.log(share / (1 - share))

it.each([
  ['2 without pieces', {}, 2],
  ['2 above the weakest end', { stretches: [{ sentenceCoverage: 0.5 }, { sentenceCoverage: 0 }] }, 0],
  ['those of the text beside a quotation', { stretches: [{ sentenceCoverage: 0.25, besideQuoted: 1 }] }, -1],
  ['at most the whole', { stretches: [{ sentenceCoverage: 1 }] }, 2],
  ['1.18 above a part that leans', { parts: [{ sentenceCoverage: 1 }, { sentenceCoverage: 0.25, leans: 1 }] }, 0.18],
  [
    '1.18 above the weakest part that leans',
    {
      parts: [
        { sentenceCoverage: 0.5, leans: 1 },
        { sentenceCoverage: 0.25, leans: 1 },
      ],
    },
    0.18,
  ],
])('a whole with log-odds of 2 gets %s', (_, pieces, expected) => {
  expect(logOdds(within(pieces))).toBeCloseTo(expected)
})

it.each([
  ['a quarter', 1 / 4, [-1, -0.41]],
  ['half', 1 / 2, [0, 0.18]],
  ['four fifths', 4 / 5, [0.4, 0.42]],
])('a scale that answers seven terms from %s sets the margins of an end and a part', (_, from, expected) => {
  const scale = { middle: logOdds(from) + 0.4 * Math.log(7) - REFUSED_BELOW, deviation: 1 }
  const lifted = [
    { stretches: [{ sentenceCoverage: 0 }] },
    { parts: [{ sentenceCoverage: 1 }, { sentenceCoverage: 0.25, leans: 1 }] },
  ].map((pieces) => logOdds(within({ ...pieces, scale, questionTermCount: 7 })))
  for (const [at, odds] of lifted.entries()) expect(odds).toBeCloseTo(expected[at]!)
})

it('a scale of half the deviation gives the same margin when it answers from the same value', () => {
  const scale = { middle: logOdds(1 / 4) + 0.4 * Math.log(7) - REFUSED_BELOW / 2, deviation: 0.5 }
  const stretches = [{ sentenceCoverage: 0 }]
  expect(logOdds(within({ stretches, scale, questionTermCount: 7 }))).toBeCloseTo(-1)
})

it('on a scale, a piece is adjusted for its own length', () => {
  const scale = { middle: 0.4 * Math.log(7) - REFUSED_BELOW, deviation: 1 }
  const stretches = [{ sentenceCoverage: 0, questionTermCount: 2 }]
  const odds = logOdds(within({ stretches, scale, questionTermCount: 7 }))
  expect(odds).toBeCloseTo(-2 + 2 * 1.2 - 0.4 * Math.log(7 / 2))
  expect(logOdds(within({ stretches, questionTermCount: 7 }))).toBeCloseTo(0)
})

it('the weakest part decides when the whole is weaker', () => {
  expect(logOdds(within({ parts: [{ sentenceCoverage: 1 }, { sentenceCoverage: 0.75 }] }, 0.25))).toBeCloseTo(1)
})

it('a record without its pieces has no confidence', () => {
  for (const damaged of [{ parts: undefined }, { stretches: 7 as never }]) expect(within(damaged as never)).toBeNaN()
})

it('the model reads the signals of the inner confidence and of the pieces', () => {
  const reads = model.reads?.(settings) ?? []
  expect(reads.map(({ name }) => name)).toEqual(['sentenceCoverage', 'parts', 'stretches'])
  const subject = subjectOf({
    question: 'What starts? What stops?',
    evidence: evidenceOf(['Red.']),
    language: undefined,
  })
  expect(measureSignals(reads, subject).parts).toEqual([
    { sentenceCoverage: 0, questionTermCount: 2 },
    { sentenceCoverage: 0, questionTermCount: 2 },
  ])
  const blind = { kind: 'blind', validate: () => undefined, confidence: () => 0.5 }
  const over = weakestPart(confidenceBy(blind, { kind: 'blind' }))
  expect(over.model.reads?.(over.settings).map(({ name }) => name)).toEqual(['parts', 'stretches'])
})
