/** Document 002, grounding and refusal by several gates: its examples, asked of a route behind `ragGate`. */
import { answerJudge } from '../../src/middleware/answer-judge.ts'
import { describe, expect, it } from 'vitest'
import {
  checkGenerationConfidence,
  countHallucinations,
  scoresOfGate,
  suggestThresholdChange,
  thresholdSensitivity,
} from '../../packages/calibration/src/index.ts'
import { balanced, ragGate } from '../../src/index.ts'
import { multiGate, type MultiGateOptions } from '../../packages/presets/src/multi-gate/index.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, asOperator, bodyOf, type HandlerContext, STRONG } from '../fixtures/gate.ts'
import { asked, ranked, type Told } from './a-route.ts'

const NOT_VERIFIED = 'This information cannot be verified from the book content.'
const HELD = 'The engine starts with the red key.'
const INVENTED = 'The engine needs 7 blue batteries.'

interface Example {
  readonly cosine?: number
  readonly confidence?: number | null
  readonly answer?: string
  readonly text?: string
  readonly settings?: MultiGateOptions
}

/** A route whose best passage has this cosine, and whose model is this sure of its answer. */
async function routed({ cosine = 0.8, confidence = 0.9, answer = HELD, text = STRONG, settings }: Example) {
  const handler = (c: HandlerContext): Response => {
    if (confidence !== null) c.var.ragGate.report({ generationConfidence: confidence })
    return c.json({ answer, ...c.var.ragGate.summary })
  }
  const route = aGate({
    policy: multiGate({ wording: 'specification', ...settings }),
    finds: () => [
      {
        kind: 'cosine',
        entries: [
          { passage: aPassage('a', { text }), score: cosine },
          { passage: aPassage('b', { text: 'Paint is blue.' }), score: 0 },
        ],
      },
    ],
    dependencies: { authenticate: asOperator },
    answer: { judge: answerJudge({ generationConfidence: 'reported' }) },
    handler,
  })
  const body = (await bodyOf(await route.ask())) as Told
  return { ...route, body, decision: route.journal.events[0]!.decision, handled: route.journal.handled.length }
}

describe('the gates', () => {
  it.each<[string, Example, string, string | undefined, number]>([
    ['1, below', { cosine: 0.62 }, 'similarity_low', 'Top-1 similarity (0.62) below threshold (0.7)', 0],
    ['1, exactly', { cosine: 0.7 }, 'passed', undefined, 1],
    [
      '3, below',
      { confidence: 0.59 },
      'generation_confidence_low',
      'Generation confidence (0.59) below threshold (0.6)',
      1,
    ],
    ['3, exactly', { confidence: 0.6 }, 'passed', undefined, 1],
    ['3, unsaid', { confidence: null }, 'generation_confidence_missing', undefined, 1],
    ['4, a figure', { answer: 'The engine starts with 7 keys.' }, 'answer_unsupported', 'sentence 1 of 1', 1],
    ['4, a name', { answer: 'The engine of Bosch starts with the red key.' }, 'answer_unsupported', '1 of 1', 1],
    [
      '4, most words',
      { answer: 'The engine and its key need petrol, water and oil.' },
      'answer_unsupported',
      '1 of 1',
      1,
    ],
    ['4, another source', { answer: `${HELD} [2]` }, 'answer_unsupported', 'Not supported by the passages', 1],
    ['4, no such source', { answer: `${HELD} [3]` }, 'answer_unsupported', 'Not supported by the passages', 1],
    ['4, one of two', { answer: `${HELD} ${INVENTED}` }, 'answer_unsupported', 'sentence 2 of 2', 1],
    ['4, half the words', { answer: 'The engine needs petrol and a key.' }, 'passed', undefined, 1],
  ])('%s (R089, R091, R092, R093, R094, R095, R107)', async (_, example, code, reason, asked) => {
    const { body, handled, decision } = await routed(example)
    expect([decision.reason, handled]).toEqual([code, asked])
    if (code === 'passed') expect(body).toMatchObject({ answer: example.answer ?? HELD, verdict: 'pass' })
    else {
      expect(body).toMatchObject({ answer: NOT_VERIFIED, sources: [], refused: true, verdict: 'refuse' })
      expect(body['refusal_reason']).toContain(reason ?? '')
    }
  })

  it('2 advises when keywords are missing, and the model is still called (R090)', async () => {
    const drifted = { text: 'The red key lies on the table beside the door.', answer: 'The red key lies on the table.' }
    const { body, handled, decision } = await routed(drifted)
    expect([body.verdict, body.reason_code, handled]).toEqual(['advise', 'keywords_missing', 1])
    expect(body).toMatchObject({ detail: { reason: 'The passages hold few of the keywords of the question' } })
    expect(decision.findings.find(({ gate }) => gate === 'keyword-coverage')).toMatchObject({
      outcome: 'advise',
      threshold: 0.5,
    })
  })

  it('of both stages are independent (R100, R105)', async () => {
    const off = { refuseBelowConfidence: 'off', answerGrounding: 'off' } as const
    expect((await routed({ confidence: 0.1, answer: INVENTED, settings: off })).body.verdict).toBe('pass')
    expect((await routed({ cosine: 0.1, settings: { ...off } })).body.verdict).toBe('refuse')
    expect((await routed({ cosine: 0.1, settings: { refuseBelow: 0 } })).body.verdict).toBe('pass')
  })

  it.each<[string, Example]>([
    ['1', { cosine: 0.65, settings: { refuseBelow: 0.6 } }],
    ['2', { answer: 'Paint is blue.', text: 'Paint is blue.', settings: { adviseBelowKeywords: 0 } }],
    ['3', { confidence: 0.5, settings: { refuseBelowConfidence: 0.4 } }],
    ['4', { answer: 'The engine needs petrol, water and oil.', settings: { minTermShare: 0.1 } }],
  ])('have a threshold each that can be changed: %s (R100)', async (_, { settings, ...example }) => {
    expect((await routed(example)).body.verdict).not.toBe('pass')
    expect((await routed({ ...example, settings: settings! })).body.verdict).toBe('pass')
  })

  it('are asked before and after the model (R105)', async () => {
    const stages = new Set((await routed({})).decision.findings.map(({ stage }) => stage))
    expect([...stages]).toEqual(['pre-generation', 'post-generation'])
  })

  it('refuse in the same sentence without evidence (R093)', async () => {
    const { ask } = aGate({ policy: multiGate({ wording: 'specification', refuseBelowConfidence: 'off' }), finds: [] })
    expect(await bodyOf(await ask())).toMatchObject({ answer: NOT_VERIFIED, refused: true, sources: [] })
  })
})

it('the same question always gets the same verdict under a frozen policy (R098, R108)', async () => {
  for (const examples of [
    [{ cosine: 0.62 }, { cosine: 0.62, confidence: 0.1 }],
    [{ confidence: 0.55 }, { confidence: 0.55 }],
    [{}, {}],
  ]) {
    const decisions = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const { id: _id, ...decision } = (await routed(examples[at % 2]!)).decision
        return JSON.stringify(decision)
      }),
    )
    expect(new Set(decisions).size).toBe(1)
  }
  const { bands, gates, ...policy } = multiGate()
  expect([policy.id, Object.isFrozen(multiGate())]).toEqual([multiGate().id, true])
  for (const part of [bands, gates, ...gates.map(({ settings }) => settings)]) expect(Object.isFrozen(part)).toBe(true)
})

it.each<[Example, string]>([
  [{ cosine: 0.62 }, 'No passage is similar enough to the question'],
  [{ confidence: 0.1 }, 'The model was not sure enough of its answer'],
  [{ confidence: null }, 'It is not known how sure the model was of its answer'],
  [{ answer: INVENTED }, 'The answer said something that the documents do not'],
  [{ answer: 'Yes.' }, 'The answer said nothing that could be checked'],
])('a refusal gives its reason in a sentence: %j (R101)', async (example, reason) => {
  expect((await routed(example)).body).toMatchObject({ refused: true, detail: { reason } })
})

it('a refusal is returned, recorded, and suggests how to rephrase (R101, R109)', async () => {
  const { body, decision } = await routed({ cosine: 0.62 })
  expect(body['suggestions']).toContain('Use the words of the documents')
  expect(
    await asked({ policy: multiGate({ refuseBelowConfidence: 'off' }), finds: () => ranked('cosine', [0.62]) }),
  ).toMatchObject({
    refusal_reason: 'No passage is similar enough to the question',
    suggestions: body['suggestions'],
  })
  expect(decision).toMatchObject({
    verdict: 'refuse',
    reason: 'similarity_low',
    policyId: multiGate({ wording: 'specification' }).id,
  })
})

it('only an explicit mode avoids refusals (R106)', async () => {
  const { ask } = aGate({ policy: multiGate({ refuseBelowConfidence: 'off' }), finds: () => ranked('cosine', [0.1]) })
  expect(await bodyOf(await ask())).toMatchObject({ refused: true })
  const dependencies = () => ({}) as never
  expect(() => ragGate({ policy: balanced(), dependencies, mode: 'never-refuse' as 'observe' })).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  )
})

describe('calibration', () => {
  it.each([
    ['more than a tenth are falsely refused', [11, 100], [0, 400], 'lower'],
    ['more than a hundredth are invented', [0, 100], [5, 400], 'raise'],
    ['exactly a tenth and a hundredth are', [10, 100], [4, 400], 'keep'],
  ] as const)('suggests the documented change when %s (R097)', (_, falseRefusals, hallucinations, action) => {
    const rate = ([hits, labels]: readonly [number, number]) => ({ rate: hits / labels, labels })
    const rates = { falseRefusals: rate(falseRefusals), hallucinations: rate(hallucinations) }
    expect(suggestThresholdChange(multiGate(), rates)).toMatchObject({ action })
  })

  it('counts invented answers among those sent, from labels, with n and interval (R099)', async () => {
    const answers = [
      { example: { answer: HELD }, hallucinated: false },
      { example: { answer: INVENTED }, hallucinated: true },
      { example: { answer: INVENTED, settings: { answerGrounding: 'off' } as const }, hallucinated: true },
    ]
    const labelled = await Promise.all(
      answers.map(async ({ example, hallucinated }) => ({ decision: (await routed(example)).decision, hallucinated })),
    )
    const counted = countHallucinations(labelled)
    expect(counted).toMatchObject({
      made: { hits: 2, labels: 3 },
      given: { hits: 1, labels: 2 },
      caught: { hits: 1, labels: 1 },
      falseAlarms: { hits: 0, labels: 1 },
    })
    expect(counted.statement).toMatch(
      /^Hallucinated answers among those given: 1 of 2 \(0\.013–0\.987\), 95 % interval$/,
    )
  })

  it('shows the effect of a slightly higher or lower threshold (R103)', async () => {
    const questions = [0.6, 0.65, 0.69, 0.71, 0.8].map(async (cosine) => (await routed({ cosine })).decision)
    const decisions = await Promise.all(questions)
    const labelled = decisions.map((decision, at) => ({ decision, answerable: at > 0 }))
    const { points, steepest } = thresholdSensitivity(scoresOfGate('min-top-cosine', labelled), 0.7, {
      reach: 0.1,
      step: 0.05,
    })
    expect(points.map(({ threshold, refusals }) => [Number(threshold.toFixed(2)), refusals.hits])).toEqual([
      [0.6, 0],
      [0.65, 1],
      [0.7, 3],
      [0.75, 4],
      [0.8, 4],
    ])
    expect(points[2]).toMatchObject({
      falseRefusals: { hits: 2, labels: 4 },
      falseAcceptances: { hits: 0, labels: 1 },
    })
    expect(points[0]!.falseAcceptances.hits).toBe(1)
    expect(steepest).toMatchObject({ from: expect.closeTo(0.65), to: expect.closeTo(0.7), change: expect.closeTo(0.4) })
  })

  it("reports whether the model's confidence follows the quality of its answers (R104)", async () => {
    const rated = async (follows: boolean) =>
      Promise.all(
        Array.from({ length: 60 }, async (_, at) => {
          const { decision } = await routed({ confidence: (at + 1) / 60 })
          const quality = follows ? at / 60 : (at * 37) % 2
          return { confidence: decision.answerSignals?.generationConfidence, quality }
        }),
      )
    const following = await rated(true)
    const unsaid = { confidence: Number.NaN, quality: 1 }
    expect(checkGenerationConfidence([...following, unsaid])).toMatchObject({ labels: 60, missing: 1, carries: 'yes' })
    expect(checkGenerationConfidence(following.slice(0, 49))).toMatchObject({ labels: 49, carries: 'unknown' })
    expect(checkGenerationConfidence(await rated(false))).toMatchObject({ labels: 60, carries: 'no' })
  })
})
