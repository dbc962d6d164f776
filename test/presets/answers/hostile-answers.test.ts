/** Answers, and what a route reports of them, as careless or hostile sources write them. */
import { topCosine } from '../../../packages/presets/src/multi-gate/top-cosine.ts'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { confidenceRange } from '../../../src/core/gates/confidence-range.ts'
import { evidenceShare } from '../../../packages/presets/src/sufficiency/evidence-share.ts'
import { generationConfidence } from '../../../packages/presets/src/answers/generation-confidence.ts'
import { grounding } from '../../../packages/presets/src/answers/grounding.ts'
import type { PolicyGate } from '../../../src/core/gates/gate.ts'
import { keywordCoverage } from '../../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { minTopCosine } from '../../../src/core/gates/min-top-cosine.ts'
import { responseQuality } from '../../../packages/presets/src/advisory/response-quality.ts'
import { gatingReport } from '../../../packages/presets/src/sufficiency/gating-report.ts'
import type { AnswerInput, GenerationReport } from '../../../src/core/answer/answer-input.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { answerFields, judgeAnswer } from '../../../src/core/policy/judge-answer.ts'
import { definePolicy, type Policy } from '../../../src/core/policy/policy.ts'
import { advisory } from '../../../packages/presets/src/advisory/advisory.ts'
import { balanced } from '../../../src/presets/balanced/balanced.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { sufficiency } from '../../../packages/presets/src/sufficiency/sufficiency.ts'
import { answerSignalsOf, aSentence } from '../../fixtures/answer.ts'
import { aCurve, evidenceOf, signalsOf } from '../../fixtures/evidence.ts'
import { measureAnswer } from '../../fixtures/english.ts'
import { growth, PROPORTION } from '../../growth.ts'
import { examples } from '../../properties.ts'
import { anyText } from '../../fixtures/any-text.ts'

const CHUNKS = evidenceOf([
  'The engine starts with the red key at 70 degrees.',
  'Paint is blue. 7 cars, 0 trucks.',
]).chunks
const HELD = 'The engine starts with the red key.'
const STRONG = signalsOf({ curves: { cosine: aCurve(0.9), grade: aCurve(3) } })

const withGates = (...gates: PolicyGate[]): Policy =>
  definePolicy({ ...multiGate({ refuseBelowConfidence: 'off', answerGrounding: 'off' }), gates })

function verdictOf(policy: Policy, given: Omit<Partial<AnswerInput>, 'answer'> & { readonly answer?: unknown }) {
  const answer = measureAnswer({
    question: 'How does the engine start?',
    chunks: CHUNKS,
    ...given,
    // A route without types may answer anything.
    answer: given.answer as string | undefined,
    fields: answerFields(policy),
  })
  return judgeAnswer(policy, { ...judge(policy, STRONG), signals: STRONG }, answer)
}

it.each([
  ['combining marks', '\u094d\u0301', ''],
  ['marks of half-width kana', '\uff9e\u0301', ''],
  ['the zeros of one number', '0', '1'],
])('an answer is measured in time proportional to its length, even of %s alone', async (_, unit, end) => {
  const measured = (text: string) =>
    measureAnswer({ question: 'How does it start?', chunks: CHUNKS, answer: `1.${text}${end}`, fields: [] })
  expect(await growth(measured, unit, 64_000)).toBeLessThan(PROPORTION)
})

describe('any report of the handler', () => {
  const member = fc.oneof(
    fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true, withSparseArray: true }),
    fc.constantFrom<unknown>(null, NaN, -Infinity, Infinity, -0, 1e-9, '0.9', [-Infinity], [0.5], [NaN], Array(3)),
  )
  const report = fc.record(
    {
      generationConfidence: member,
      tokenLogProbabilities: member,
      attribution: fc.oneof(member, fc.record({ shares: member, noSupport: member }, { requiredKeys: [] })),
      citedChunkIds: member,
      structured: member,
    },
    { requiredKeys: [] },
  )

  it('is measured without an error, and gives numbers only within their ranges', () => {
    fc.assert(
      fc.property(
        fc.oneof(report, fc.constantFrom(null, undefined)),
        fc.constantFrom('reported', 'token-log-probabilities'),
        fc.oneof(anyText(), fc.constantFrom<unknown>(7, null, {}, ['a'])),
        (given, source, answer) => {
          const signals = measureAnswer({
            question: 'q',
            chunks: CHUNKS,
            answer: answer as string,
            report: given as unknown as GenerationReport,
            generationConfidenceSource: source,
            fields: ['summary'],
          })
          const { generationConfidence: confidence, reportedShares = [] } = signals
          const numbers = [
            ...(confidence === undefined ? [] : [confidence]),
            ...reportedShares.map(({ share }) => share),
          ]
          expect(numbers.every((value) => value >= 0 && value <= 1)).toBe(true)
          expect(JSON.parse(JSON.stringify(signals))).toEqual(signals)
        },
      ),
      { numRuns: examples(1000) },
    )
  })

  it('passes the confidence gate only as a number from 0 to 1, or as a complete list of log-probabilities', () => {
    const policy = withGates(generationConfidence({ refuseBelow: 0 }))
    fc.assert(
      fc.property(member, fc.constantFrom('reported', 'token-log-probabilities'), (value, source) => {
        const name = source === 'reported' ? 'generationConfidence' : 'tokenLogProbabilities'
        const { verdict } = verdictOf(policy, {
          answer: HELD,
          report: { [name]: value },
          generationConfidenceSource: source,
        })
        const isShare = typeof value === 'number' && value >= 0 && value <= 1
        const list: unknown[] = Array.isArray(value) ? Array.from(value as unknown[]) : []
        const areLogarithms = list.length > 0 && list.every((each) => typeof each === 'number' && each <= 0)
        expect(verdict === 'pass').toBe(source === 'reported' ? isShare : areLogarithms)
      }),
      { numRuns: examples(1000) },
    )
  })

  it.each([
    ['missing log-probabilities', { tokenLogProbabilities: Array(5) as number[] }, 'generation_confidence_invalid'],
    ['a probability of 0', { tokenLogProbabilities: [-Infinity] }, 'generation_confidence_low'],
    ['a log-probability above 0', { tokenLogProbabilities: [-0.1, 1e-9] }, 'generation_confidence_invalid'],
  ])('of %s refuses', (_, given, reason) => {
    const policy = withGates(generationConfidence())
    const judged = verdictOf(policy, {
      answer: HELD,
      report: given,
      generationConfidenceSource: 'token-log-probabilities',
    })
    expect(judged).toMatchObject({ verdict: 'refuse', reason })
  })

  it.each([null, undefined])('of %s counts as no report', (nothing) => {
    const report = { attribution: nothing, generationConfidence: nothing } as unknown as GenerationReport
    expect(measureAnswer({ question: 'q', chunks: CHUNKS, answer: HELD, report }).unusable).toEqual([])
  })
})

it('a chunk without text supports nothing', () => {
  const chunks = [{ id: 'a', documentId: 'a', scores: {} }] as unknown as Parameters<typeof measureAnswer>[0]['chunks']
  const measured = measureAnswer({ question: 'How?', chunks, answer: 'The engine starts with a key.' })
  expect(measured).toMatchObject({ readable: true, overlaps: [{ chunkId: 'a', words: 0, terms: 0 }] })
})

describe('an answer without content', () => {
  const lenient = evidenceShare({ threshold: 0, minOverlap: 0, noSupport: 'ignored' })

  it.each([undefined, null, '', ' \n\t', '\u200b', '\u00ad\u2060', '\u202e\u202c', '\ufeff', 7, {}])(
    'refuses under every gate for answers: %j',
    (answer) => {
      for (const policy of [withGates(lenient), withGates(generationConfidence({ refuseBelow: 0 })), sufficiency()]) {
        const judged = verdictOf(policy, { answer, report: { generationConfidence: 1 } })
        expect(judged).toMatchObject({ verdict: 'refuse', reason: 'answer_unreadable' })
      }
    },
  )

  it.each(['...', '[1]', 'It is so. [1]', 'Yes.', '[1] [2] [3]', '```', '1.'])(
    'refuses when it must be grounded: %j',
    (answer) => {
      expect(verdictOf(withGates(grounding({ minTermShare: 0 })), { answer }).verdict).toBe('refuse')
    },
  )
})

describe('an answer with invisible characters', () => {
  const grounded = withGates(grounding())

  it('is read as displayed', () => {
    expect(verdictOf(grounded, { answer: HELD }).verdict).toBe('pass')
    // Each part of the figure and of the name stands in a passage, the whole in none.
    for (const answer of ['Paint is blue. 7\u200b0 cars.', 'Paint is blue, 7\u20600 cars.', 'Paint: 7\u00ad0 cars.']) {
      const chunks = CHUNKS.slice(1)
      expect(verdictOf(grounded, { answer, chunks }).verdict, JSON.stringify(answer)).toBe('refuse')
      expect(verdictOf(grounded, { answer: answer.replace(/[^ -~]0/, ''), chunks }).verdict).toBe('pass')
    }
  })

  it('is supported by the same text with soft hyphens', () => {
    const chunks = evidenceOf(['The en\u00adgine starts with the red key.']).chunks
    for (const answer of [HELD, 'The en\u00adgine starts with the red key.']) {
      expect(verdictOf(withGates(grounding({ minTermShare: 1 })), { answer, chunks }).verdict).toBe('pass')
      expect(verdictOf(sufficiency({ threshold: 1 }), { answer, chunks }).verdict).toBe('pass')
    }
  })

  it('is refused for citations of missing passages', () => {
    for (const cited of ['[0]', '[3]', '[999]', '[1, 3]', '[1;99]', '[\u200b3]']) {
      expect(verdictOf(grounded, { answer: `The engine starts with the red key ${cited}.` }).verdict, cited).toBe(
        'refuse',
      )
    }
  })
})

describe('a structured answer', () => {
  const policy = withGates(responseQuality({ requiredFields: ['summary'], optionalFields: ['detail'] }))

  it.each([
    [{ summary: 's', detail: 'd' }, 'pass'],
    [{ summary: 's', detail: ' ' }, 'advise'],
    [{ summary: 's', detail: NaN }, 'advise'],
    [{ summary: 's', detail: () => 'd' }, 'advise'],
    [{ summary: 's', detail: Symbol('d') }, 'advise'],
    [{ summary: 0, detail: false }, 'pass'],
    [{ summary: '\u200b', detail: 'd' }, 'refuse'],
    [Object.create({ summary: 's', detail: 'd' }), 'refuse'],
    ['{"summary":"s","summary":null}', 'refuse'],
    ['{"__proto__":{"summary":"s","detail":"d"}}', 'refuse'],
    [[{ summary: 's' }], 'refuse'],
    ['[]', 'refuse'],
    ['', 'refuse'],
    [null, 'refuse'],
  ])('has only its own filled fields: %j', (structured, verdict) => {
    expect(verdictOf(policy, { answer: HELD, report: { structured } }).verdict).toBe(verdict)
  })

  it('may have fields with any name', () => {
    const fields = ['__proto__', 'constructor', 'toString', 'a.b', '']
    for (const field of fields.slice(0, -1)) {
      const of = withGates(responseQuality({ requiredFields: [field] }))
      const filled = JSON.parse(`{${JSON.stringify(field)}:"x"}`) as object
      expect(verdictOf(of, { answer: HELD, report: { structured: filled } }).verdict, field).toBe('pass')
      expect(verdictOf(of, { answer: HELD, report: { structured: {} } }).verdict, field).toBe('refuse')
    }
  })
})

describe('a policy without gates for answers', () => {
  it('keeps the judgement and confidence of the evidence', () => {
    const policy = definePolicy({ ...advisory(), gates: multiGate().gates.slice(0, 1) })
    const before = judge(policy, STRONG)
    expect(verdictOf(policy, { answer: HELD, report: { structured: {} } })).toEqual(before)
  })
})

describe('a threshold at the end of its range', () => {
  const value = fc.oneof(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom(0, -0, 1, 1e-12, 1 - 1e-12, 1e-6, 1 - 1e-6, Number.MIN_VALUE),
  )
  const pass = (policy: Policy, signals = STRONG, answer = answerSignalsOf()): boolean =>
    judgeAnswer(policy, { ...judge(policy, signals), signals }, answer).verdict === 'pass'
  const byConfidence = (t: number): Policy =>
    definePolicy({
      ...withGates(confidenceRange({ refuseBelow: t, adviseBelow: t })),
      confidence: topCosine(),
    })
  const ENDS: readonly (readonly [string, number, (threshold: number, measured: number) => boolean])[] = [
    ['confidenceRange', 1e-9, (t, x) => pass(byConfidence(t), signalsOf({ curves: { cosine: aCurve(x) } }))],
    [
      'minTopCosine',
      1e-6,
      (t, x) => pass(withGates(minTopCosine({ refuseBelow: t })), signalsOf({ curves: { cosine: aCurve(x) } })),
    ],
    [
      'keywordCoverage',
      1e-9,
      (t, x) =>
        pass(withGates(keywordCoverage({ adviseBelow: t })), signalsOf({ questionTermCount: 2, keywordCoverage: x })),
    ],
    [
      'generationConfidence',
      1e-9,
      (t, x) =>
        pass(withGates(generationConfidence({ refuseBelow: t })), STRONG, answerSignalsOf({ generationConfidence: x })),
    ],
    [
      'evidenceShare',
      1e-9,
      (t, x) =>
        pass(
          withGates(evidenceShare({ threshold: t })),
          STRONG,
          answerSignalsOf({ reportedShares: [{ chunkId: 'a', share: x }] }),
        ),
    ],
    [
      'grounding',
      1e-9,
      (t, x) =>
        pass(
          withGates(grounding({ minTermShare: t })),
          STRONG,
          answerSignalsOf({ sentences: [aSentence({ termShare: x })] }),
        ),
    ],
  ]

  it.each(ENDS)('passes everything at 0, and only 1 at 1: %s', (_, tolerance, passes) => {
    fc.assert(
      fc.property(value, (measured) => {
        expect(passes(0, measured)).toBe(true)
        expect(passes(1, measured)).toBe(measured >= 1 - tolerance)
      }),
    )
  })

  it.each([
    () => confidenceRange({ refuseBelow: -1e-9, adviseBelow: 1 }),
    () => confidenceRange({ refuseBelow: 0, adviseBelow: 1 + 1e-9 }),
    () => minTopCosine({ refuseBelow: -1 - 1e-9 }),
    () => keywordCoverage({ adviseBelow: 1.1 }),
    () => generationConfidence({ refuseBelow: NaN }),
    () => evidenceShare({ threshold: Infinity }),
    () => grounding({ minTermShare: '0.5' as unknown as number }),
  ])('is rejected beyond it: %s', (make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  })
})

describe('gates that contradict each other', () => {
  it('use the strictest, and the report is that of the gate that refused', () => {
    const policy = withGates(evidenceShare({ threshold: 0.5 }), evidenceShare({ threshold: 0.9 }))
    const attribution = { shares: [{ chunkId: 'chunk-0', share: 0.6 }], noSupport: 0.4 }
    const judged = verdictOf(policy, { answer: HELD, report: { attribution } })
    expect(judged).toMatchObject({ verdict: 'refuse', reason: 'share_low' })
    expect(gatingReport({ ...judged, evidenceIds: ['chunk-0'] })).toMatchObject({ passes: false, threshold: 0.9 })
  })

  it('of both stages are at least as strict as the strictest of them', () => {
    const policy = definePolicy({
      ...balanced(),
      name: 'mine',
      gates: [...advisory().gates, grounding(), evidenceShare({ threshold: 1, equality: 'refuses' })],
    })
    expect(verdictOf(policy, { answer: HELD, report: { structured: {} } })).toMatchObject({ verdict: 'refuse' })
  })
})
