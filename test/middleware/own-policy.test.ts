import { describe, expect, it } from 'vitest'
import { logistic } from '../../src/core/policy/logistic.ts'
import { readableQuestion } from '../../src/core/gates/readable-question.ts'
import type { Ranking } from '../../src/core/evidence/chunk.ts'
import { defineGate, gateWith } from '../../src/core/gates/gate.ts'
import { noteText } from '../../src/core/gates/text.ts'
import { minTopCosine } from '../../src/core/gates/min-top-cosine.ts'
import { confidenceBy, type ConfidenceModel } from '../../src/core/policy/confidence.ts'
import { definePolicy } from '../../src/core/policy/policy.ts'
import { topCosine } from '../../src/core/signals/top-cosine.ts'
import { balanced } from '../../src/presets/balanced/balanced.ts'
import { aPassage } from '../fixtures/evidence.ts'
import { aGate, bodyOf } from '../fixtures/gate.ts'

const COSINE: ConfidenceModel = {
  kind: 'cosine',
  validate: () => undefined,
  reads: () => [topCosine],
  confidence: (_settings, signals) => signals.topCosine ?? NaN,
}

/** One gate, one cosine, and no language. */
const OWN = definePolicy({
  name: 'own',
  confidence: confidenceBy(COSINE, { kind: 'cosine' }),
  bands: { high: 0.9, medium: 0.8, low: 0.7 },
  gates: [minTopCosine({ refuseBelow: 0.7 })],
})

const found = (cosine: number) => (): readonly Ranking[] => [
  { kind: 'cosine', entries: [{ passage: aPassage('a', { text: 'Nothing of the kind.' }), score: cosine }] },
]

describe('a policy with one gate on the cosine', () => {
  it.each(['pricing', 'GDPR', 'Rückgabe', 'цена', '退款', 'C++', 'ok', '???', '→ → → →', 'whowonthechessmatch'])(
    'passes %j in any script and form, and refuses it only for its cosine',
    async (question) => {
      const { ask, journal } = aGate({ policy: OWN, finds: found(0.95) })
      expect(await bodyOf(await ask({ question }))).toMatchObject({ verdict: 'pass', band: 'high' })
      const { signals, findings } = journal.events[0]!.decision
      expect(signals).toEqual({ chunkCount: 1, droppedCount: 0, topCosine: 0.95 })
      expect(findings.map(({ gate }) => gate)).toEqual(['min-top-cosine'])
      const weak = aGate({ policy: OWN, finds: found(0.69) })
      expect(await bodyOf(await weak.ask({ question }))).toMatchObject({ refused: true, reason_code: 'similarity_low' })
    },
  )

  it('tells how its confidence was calibrated, if its model does', async () => {
    for (const [said, told] of [
      ['calibrated', ';calibration=calibrated'],
      ['not a code', ''],
    ] as const) {
      const confidence = confidenceBy({ ...COSINE, calibration: () => said as 'calibrated' }, { kind: 'cosine' })
      const { headers } = await aGate({ policy: definePolicy({ ...OWN, confidence }), finds: found(0.95) }).ask()
      expect(headers.get('rag-gate')?.replace(/^.*;id="[^"]*"/, '')).toBe(told)
    }
  })

  it('searches with the question as asked, greetings included', async () => {
    const { ask, journal } = aGate({ policy: OWN, finds: found(0.95) })
    await ask({ question: 'Hello, could you tell me the price, thanks?' })
    expect(journal.retrievals[0]?.question).toBe('Hello, could you tell me the price, thanks?')
  })

  it('refuses without evidence, and when no chunk has a cosine', async () => {
    const nothing = aGate({ policy: OWN, finds: [] })
    expect(await bodyOf(await nothing.ask())).toMatchObject({ refused: true, reason_code: 'no_evidence' })
    const words = aGate({ policy: OWN, finds: ['The engine starts.'] })
    expect(await bodyOf(await words.ask())).toMatchObject({ refused: true, reason_code: 'similarity_missing' })
  })
})

describe('gates about the question', () => {
  const passes = (question: string, gates = OWN.gates) =>
    aGate({ policy: definePolicy({ ...OWN, gates }), finds: found(0.95) }).ask({ question })

  it('are asked when a policy lists them', async () => {
    const gates = [readableQuestion(), ...OWN.gates]
    expect(await bodyOf(await passes('⠓⠕⠺⠙⠕⠊⠃⠁⠅⠑', gates))).toMatchObject({ reason_code: 'question_unreadable' })
    expect(await bodyOf(await passes('pricing', gates))).toMatchObject({ verdict: 'pass' })
  })

  it('do not count as a judgement of the evidence', async () => {
    const alone = await bodyOf(await passes('How does the engine start?', [readableQuestion()]))
    expect(alone).toMatchObject({ refused: true, reason_code: 'nothing_judged' })
  })
})

describe('a reason code that cannot stand in a header', () => {
  const withCodes = (given: string, declared = 'passed') => {
    const gate = defineGate<{ gate: 'own' }, string>({
      name: 'own',
      stage: 'pre-generation',
      validate: () => undefined,
      check: () => ({ outcome: 'pass', code: given, message: '' }),
      texts: { [declared]: noteText('') },
    })
    return definePolicy({ ...OWN, gates: [gateWith(gate, { gate: 'own' })] })
  }
  const CODES = ['too\nweak', 'zu_schwach_für_uns', '弱い', 'a;b="c"', '']

  it.each(CODES)('rejects the policy when its texts contain %j', (code) => {
    expect(() => withCodes(code, code)).toThrow(expect.objectContaining({ code: 'policy_invalid', param: 'gates' }))
  })

  it.each(CODES)('refuses the question, recorded once, when the gate returns %j', async (code) => {
    const { ask, journal } = aGate({ policy: withCodes(code), finds: found(0.95) })
    const response = await ask()
    expect([response.status, response.headers.get('rag-gate')]).toEqual([
      200,
      expect.stringMatching(/^refuse;band=high;reason=rule_failed;/),
    ])
    expect(journal.events).toMatchObject([{ status: 200, decision: { verdict: 'refuse', reason: 'rule_failed' } }])
  })
})

describe('the signals of a policy', () => {
  it('are those that its gates and confidence read and its preset records', () => {
    const read = { ...OWN, confidence: logistic({ intercept: 0, weights: { titleMatch: 1 }, provenance: '' }) }
    expect(definePolicy(read).signals.map(({ name }) => name)).toEqual(['titleMatch', 'topCosine'])
    const { reads, signals } = balanced()
    expect(reads.map(({ name }) => name)).not.toContain('topBm25')
    expect(signals.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['curves', 'parts', 'questionTermCount', 'stretches', 'topBm25']),
    )
  })
})
