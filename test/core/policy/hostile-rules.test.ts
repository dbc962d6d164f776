/** Rules are code of a service's own: they cannot loosen the gate, nor stop it. */
import { multiPartNeedsChunks } from '../../../packages/presets/src/two-tier/multi-part-needs-chunks.ts'
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Evidence } from '../../../src/core/evidence/evidence.ts'
import { judge } from '../../../src/core/policy/judge.ts'
import { multiGate } from '../../../packages/presets/src/multi-gate/multi-gate.ts'
import { defineRule, mentions, refuseTopics, type RuleInit, type RuleInput } from '../../../src/core/policy/rules.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { aCurve, scoredEvidence, signalsOf } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

const evidence = (): Evidence =>
  scoredEvidence([{ text: 'Paint is blue.', scores: { cosine: 0.2 }, metadata: { source: { kind: 'third-party' } } }])
const inputOf = (found: Evidence): RuleInput => ({
  question: 'How does the engine start?',
  evidence: found,
  signals: measure('How does the engine start?', found, EMPTY_LEXICON),
})
const ask = (check: (input: never) => unknown, input = inputOf(evidence())) =>
  defineRule({ id: 'any', check: check as RuleInit['check'] }).ask(input)

describe('the return value of a rule', () => {
  it('is a valid finding or refuses', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true, withNullPrototype: true }), (said) => {
        const findings = ask(() => said)
        if (said === null) {
          expect(findings).toEqual([])
          return
        }
        const [finding] = findings
        expect(['pass', 'advise', 'refuse']).toContain(finding?.outcome)
        const proper = typeof said === 'object' && said !== undefined && 'outcome' in said
        if (!proper) expect(finding?.code).toBe('rule_failed')
      }),
    )
  })

  it.each([[['refuse']], [['pass']], [{ toString: (): string => 'pass' }], ['__proto__'], ['skip'], [null]])(
    'refuses when its outcome is %j',
    (outcome) => {
      expect(ask(() => ({ outcome, message: 'm' }))).toMatchObject([{ outcome: 'refuse', code: 'rule_failed' }])
    },
  )

  it('refuses when it is a promise, and leaves no unhandled rejection', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>()
    process.on('unhandledRejection', unhandled)
    const finding = { outcome: 'pass', message: 'm' } as const
    for (const promised of [async () => finding, () => Promise.reject(new Error('late'))]) {
      expect(ask(promised)).toMatchObject([{ outcome: 'refuse', code: 'rule_failed' }])
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('a rule that changes its input', () => {
  type Loose = { evidence: { chunks: Record<string, unknown>[] }; signals: ReturnType<typeof signalsOf> }
  const changes: readonly (readonly [string, (input: Loose) => void])[] = [
    ['a score', ({ signals }) => void ((signals.curves.cosine!.scores as number[])[0] = 1)],
    ['a curve', ({ signals }) => void Object.assign(signals.curves, { cosine: aCurve(1) })],
    ['the retrieval signals', ({ signals }) => void Object.assign(signals.retrieval, { topScore: 1 })],
    ['the chunks', ({ evidence: { chunks } }) => void chunks.pop()],
    ['a text', ({ evidence: { chunks } }) => void (chunks[0]!['text'] = 'The engine starts.')],
    [
      'a metadatum',
      ({ evidence: { chunks } }) =>
        void Object.assign((chunks[0]!['metadata'] as Record<string, object>)['source']!, { kind: 'government' }),
    ],
    ['all signals, and returns a pass', (input) => void Object.assign(input, { signals: signalsOf() })],
  ]

  it.each(changes)('changes nothing but its own finding: %s', (_, change) => {
    const input = inputOf(evidence())
    const before = structuredClone(input)
    const policy = multiGate()
    const findings = ask((given) => {
      change(given as unknown as Loose)
      return { outcome: 'pass', message: 'm' }
    }, input)
    expect(input).toEqual(before)
    expect(judge(policy, input.signals, findings)).toMatchObject({ verdict: 'refuse' })
    // What it is given is frozen: to try is to fail.
    expect(findings).toMatchObject([{ code: 'rule_failed' }])
  })

  it('leaves objects of the retriever unfrozen', () => {
    const found = evidence()
    ask(() => null, inputOf(found))
    expect(Object.isFrozen(found.chunks[0]?.metadata)).toBe(false)
  })

  it('refuses when its input contains a cycle', () => {
    const found = evidence()
    const metadata: Record<string, unknown> = {}
    metadata['self'] = metadata
    const endless = { ...found, chunks: [{ ...found.chunks[0]!, metadata: metadata as never }] }
    expect(ask(() => null, inputOf(endless))).toMatchObject([{ outcome: 'refuse', code: 'rule_failed' }])
  })
})

describe('a topic written with look-alike characters', () => {
  it.each([
    ['a zero-width space', 'How is the wea\u200bther?'],
    ['a soft hyphen', 'How is the wea\u00adther?'],
    ['a word joiner', 'How is the we\u2060ather?'],
    ['marks of direction', 'How is the \u202eweather\u202c?'],
    ['a variation selector', 'How is the weather\ufe0f?'],
    ['wide letters', 'How is the ｗｅａｔｈｅｒ?'],
  ])('is found: %s', (_, question) => {
    expect(mentions(question, ['weather'])).toBe(true)
    expect(refuseTopics(['wea\u00adther']).ask({ ...inputOf(evidence()), question })).toMatchObject([
      { message: 'Questions about weather not supported' },
    ])
  })
})

describe('rules of the wrong type', () => {
  it.each([[null], ['weather'], [{}], [{ id: 'a' }], [{ check: () => null }], [{ id: 'a', check: 'no' }]])(
    'are rejected when they are defined: %j',
    (init) => {
      expect(() => defineRule(init as unknown as RuleInit)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    },
  )

  it.each([['weather'], [[7]], [['weather', 7]], [null]])(
    'are rejected when they are defined, with the topics %j',
    (topics) => {
      expect(() => refuseTopics(topics as unknown as string[])).toThrow(
        expect.objectContaining({ code: 'config_invalid', param: 'rules' }),
      )
    },
  )

  it('are named in the error', () => {
    expect(() => refuseTopics('weather' as unknown as string[])).toThrow('refuseTopics needs a list of words')
  })

  it('are rejected when they need more chunks than are recorded', () => {
    expect(() => multiPartNeedsChunks({ minChunks: 20 })).not.toThrow()
    for (const options of [{ minChunks: 21 }, { relevanceThreshold: '2' as unknown as number }]) {
      expect(() => multiPartNeedsChunks(options)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
    }
  })
})
