import { describe, expect, it } from 'vitest'
import { askRules, mentions, multiPartNeedsChunks, refuseTopics, type Rule } from '../../src/core/rules.ts'
import { aCurve, evidenceOf, signalsOf } from '../fixtures/evidence.ts'

const ask = (rule: Rule, question: string, signals = signalsOf()) =>
  rule.check({ question, evidence: evidenceOf(['text']), signals })

describe('mentions', () => {
  it.each([
    ['What is the weather today?', ['weather'], true],
    ['WEATHER?', ['Weather'], true],
    ['Is it weatherproof?', ['weather'], false],
    ['A band for sand', ['and'], false],
    ['the stock market falls', ['stock market'], true],
    ['the market stock falls', ['stock market'], false],
    ['anything', [''], false],
    ['anything', [], false],
  ])('finds whole words only: %s, %j', (text, wanted, found) => {
    expect(mentions(text, wanted)).toBe(found)
  })
})

describe('refuseTopics', () => {
  it("refuses with the document's text", () => {
    expect(ask(refuseTopics(['weather']), 'How is the weather?')).toEqual({
      outcome: 'refuse',
      message: 'Questions about weather not supported',
    })
    expect(ask(refuseTopics(['weather']), 'How is the engine?')).toBeNull()
  })

  it('names its topics in its id, and needs one', () => {
    expect(refuseTopics(['Weather', 'stock market']).id).toBe('refuse-topics:weather,stock.market')
    const many = Array.from({ length: 99 }, (_, at) => `topic ${at}`)
    expect(refuseTopics(many).id).toMatch(/^refuse-topics:[0-9a-f]{32}$/)
    expect(refuseTopics(many).id).not.toBe(refuseTopics([...many, 'one more']).id)
    expect(() => refuseTopics([' '])).toThrow(/at least one word/)
  })
})

describe('multiPartNeedsChunks', () => {
  it.each([
    ['Who pays and who earns?', { grade: aCurve(3, 1) }, 1],
    ['Who pays or who earns?', { grade: aCurve(1, 0) }, 0],
    ['Who pays and who earns?', {}, 1],
  ])('refuses too little evidence for a question of several parts: %s', (question, curves, actual) => {
    expect(ask(multiPartNeedsChunks(), question, signalsOf({ curves }))).toEqual({
      outcome: 'refuse',
      message: 'Multi-part question requires more evidence',
      actual,
      threshold: 2,
    })
  })

  it.each([
    ['Who brands sand?', { grade: aCurve(1) }],
    ['Who pays and who earns?', { grade: aCurve(2, 2) }],
  ])('says nothing of %s', (question, curves) => {
    expect(ask(multiPartNeedsChunks(), question, signalsOf({ curves }))).toBeNull()
  })

  it('is checked when it is made', () => {
    for (const options of [{ minChunks: 0 }, { minChunks: 1.5 }, { relevanceThreshold: 4 }]) {
      expect(() => multiPartNeedsChunks(options)).toThrow(/minChunks/)
    }
  })
})

describe('askRules', () => {
  it('keeps figures that are numbers, and leaves out the others', () => {
    const rules: Rule[] = [{ id: 'a', check: () => ({ outcome: 'advise', message: 'm', actual: NaN, threshold: 2 }) }]
    const input = { question: 'q', evidence: evidenceOf(['text']), signals: signalsOf() }
    expect(askRules(rules, input)).toEqual([
      { gate: 'rule:a', stage: 'pre-generation', outcome: 'advise', code: 'rule_advised', message: 'm', threshold: 2 },
    ])
  })
})
