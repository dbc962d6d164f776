/** Decisions are judged again from records: a lost or wrong member makes no verdict milder. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AnswerSignals } from '../../../src/core/answer/answer-signals.ts'
import type { Verdict } from '../../../src/core/gates/finding.ts'
import type { Signals } from '../../../src/core/signals/measure.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { judgeAnswer } from '../../../src/core/policy/judge-answer.ts'
import { type Policy } from '../../../src/core/policy/policy.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { twoTier } from '../../../packages/presets/src/two-tier/two-tier.ts'
import { weightedSignals } from '../../../packages/presets/src/weighted-signals/weighted-signals.ts'
import { scoredEvidence } from '../../fixtures/evidence.ts'
import { buildLexicon, measure, measureAnswer } from '../../fixtures/english.ts'
import { examples } from '../../properties.ts'

const STRICTNESS: Readonly<Record<Verdict, number>> = { pass: 0, advise: 1, refuse: 2 }
const TEXTS = ['The engine starts with the red key.', 'Paint is blue.', 'Brakes squeal when it rains.']
const LEXICON = buildLexicon(TEXTS)
const POLICIES: readonly Policy[] = [
  balanced(),
  balanced({ refuseBelow: 0.9, adviseBelow: 0.95 }),
  twoTier(),
  multiGate(),
  advisory({ requiredFields: ['a'], optionalFields: ['b'] }),
  sufficiency(),
  sufficiency({ weighting: 'chunk-confidence', largest: 2, overlap: 'words' }),
  weightedSignals(),
  weightedSignals({ renormalise: true }),
]

const share = fc.double({ min: 0, max: 1, noNaN: true })
const scores = fc.record(
  {
    cosine: share,
    bm25: fc.double({ min: 0, max: 9, noNaN: true }),
    grade: fc.integer({ min: 0, max: 3 }),
    convex: share,
    'cross-encoder': share,
    'graph-boost': share,
  },
  { requiredKeys: [] },
)
const evidence = fc
  .array(fc.record({ text: fc.constantFrom(...TEXTS), scores, documentId: fc.constantFrom('d', 'e') }), {
    minLength: 1,
    maxLength: 3,
  })
  .map(scoredEvidence)
const answer = fc.constantFrom(
  ' ',
  'Paint is blue.',
  'The engine starts with the red key [1].',
  'Trucks fly in 70 days.',
)
const report = fc.record(
  {
    generationConfidence: share,
    structured: fc.constantFrom<unknown>({ a: 1, b: 1 }, { a: 1 }, {}, []),
    attribution: share.map((of) => ({ shares: [{ chunkId: 'chunk-0', share: of }], noSupport: 1 - of })),
  },
  { requiredKeys: [] },
)

/** What no number and no flag is, and what comes of numbers in other formats. */
const damage = fc.constantFrom<unknown>(undefined, null, NaN, Infinity, -Infinity, '0.99', 'true', '', [], [1], {}, 10n)
/** As wrong for a flag as for a number. */
const flagged = fc.constantFrom<unknown>(0, 1, 'false', 'x')

type Path = readonly string[]

/** Every number and flag in a record. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  if (value !== null && typeof value === 'object') {
    return Object.entries(value).flatMap(([key, member]) => leavesOf(member, [...path, key]))
  }
  return typeof value === 'number' || typeof value === 'boolean' ? [path] : []
}

function damaged(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }
  return Object.assign(copy, { [key]: damaged((value as Record<string, unknown>)[key], rest, by) })
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value)

function verdictOf(policy: Policy, signals: Signals, answered: AnswerSignals): Verdict {
  try {
    return judgeAnswer(policy, { ...judge(policy, signals), signals }, answered).verdict
  } catch {
    // A record that cannot be read at all is no pass.
    return 'refuse'
  }
}

it('a damaged number or flag in a record never gives a milder verdict', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...POLICIES),
      evidence,
      fc.record({ answer, report }),
      fc.record({ which: fc.constantFrom('signals', 'answer'), place: fc.double({ min: 0, max: 0.999, noNaN: true }) }),
      damage,
      flagged,
      (policy, found, given, { which, place }, by, flag) => {
        const signals = measure('How does the engine start?', found, LEXICON)
        const answered = measureAnswer({ question: 'q', chunks: found.chunks, fields: ['a', 'b'], ...given })
        const record = which === 'signals' ? signals : answered
        const leaves = leavesOf(record)
        const path = leaves[Math.floor(place * leaves.length)]!
        const values = typeof at(record, path) === 'boolean' ? [by, flag] : [by, true]
        for (const value of values) {
          const broken = damaged(record, path, value)
          const verdict =
            which === 'signals'
              ? verdictOf(policy, broken as Signals, answered)
              : verdictOf(policy, signals, broken as AnswerSignals)
          const before = verdictOf(policy, signals, answered)
          expect(STRICTNESS[verdict], `${policy.name}: ${path.join('.')}`).toBeGreaterThanOrEqual(STRICTNESS[before])
        }
      },
    ),
    { numRuns: examples(5000) },
  )
})
