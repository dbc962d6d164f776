import { describe, expect, it } from 'vitest'
import {
  defineRule,
  isOfRule,
  mentions,
  refuseTopics,
  type Rule,
  type RuleInit,
} from '../../../src/core/policy/rules.ts'
import { evidenceOf, signalsOf } from '../../fixtures/evidence.ts'

const ask = (rule: Rule, question: string, evidence = evidenceOf(['text'])) =>
  rule.ask({ question, evidence, signals: signalsOf() })

describe('mentions', () => {
  it.each([
    ['What is the weather today?', ['weather'], true],
    ['WEATHER?', ['Weather'], true],
    ['Is it weatherproof?', ['weather'], false],
    ['A band for sand', ['and'], false],
    ['the stock market falls', ['stock market'], true],
    ['the market stock falls', ['stock market'], false],
    ['anything', [''], false],
    ['???', ['', '?'], false],
    ['anything', [], false],
  ])('finds only whole words: %s, %j', (text, wanted, found) => {
    expect(mentions(text, wanted)).toBe(found)
  })
})

describe('refuseTopics', () => {
  it("refuses with the specification's text", () => {
    expect(ask(refuseTopics(['weather']), 'How is the weather?')).toMatchObject([
      {
        outcome: 'refuse',
        message: 'Questions about weather not supported',
        publicText: 'Questions about weather not supported',
      },
    ])
    expect(ask(refuseTopics(['weather']), 'How is the engine?')).toEqual([])
  })

  it('has its topics in its id, and needs at least one', () => {
    expect(refuseTopics(['Weather', 'stock market']).id).toBe('refuse-topics:weather,stock.market')
    const many = Array.from({ length: 99 }, (_, at) => `topic ${at}`)
    expect(refuseTopics(many).id).toMatch(/^refuse-topics:[0-9a-f]{32}$/)
    expect(refuseTopics(many).id).not.toBe(refuseTopics([...many, 'one more']).id)
    expect(() => refuseTopics([' '])).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        param: 'rules',
        message: 'refuseTopics needs a list of words, one or more',
      }),
    )
  })

  it('has short topics in its id as text and long ones as a hash, and ignores empty topics', () => {
    const topic = 'a'.repeat(100)
    expect(refuseTopics([topic]).id).toBe(`refuse-topics:${topic}`)
    expect(refuseTopics([`${topic}a`]).id).toMatch(/^refuse-topics:[0-9a-f]{32}$/)
    expect(refuseTopics(['', 'weather']).id).toBe('refuse-topics:weather')
  })

  it('names the topic that was found', () => {
    expect(ask(refuseTopics(['weather', 'stock market']), 'How is the Stock Market?')[0]?.message).toBe(
      'Questions about stock market not supported',
    )
  })
})

describe('defineRule', () => {
  const check = () => null
  it.each([['a'], ['a-b:1,2.5'], ['9'], ['über'], ['a'.repeat(200)]])('accepts the id %s', (id) => {
    expect(defineRule({ id, check }).id).toBe(id)
  })

  it.each([[''], ['-a'], ['A'], ['a b'], ['a\n'], ['a'.repeat(201)], [7]])('rejects the id %j', (id) => {
    expect(() => defineRule({ id: id as string, check })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        param: 'id',
        message: 'id must be 1 to 200 of a-z, 0-9 and - : , .',
      }),
    )
  })

  it('rejects a rule without a check', () => {
    expect(() => defineRule({ id: 'a' } as unknown as RuleInit)).toThrow(
      expect.objectContaining({ code: 'config_invalid', param: 'check', message: 'check must be a function' }),
    )
  })
})

it('isOfRule recognises findings of rules by their prefix', () => {
  expect(['rule:a', 'rule:', 'my rule:', 'min-top-cosine', ''].map(isOfRule)).toEqual([true, true, false, false, false])
})

describe('the finding of a rule', () => {
  const input = { question: 'q', evidence: evidenceOf(['text']), signals: signalsOf() }
  const asked = (check: () => unknown) => defineRule({ id: 'a', check: check as RuleInit['check'] }).ask(input)
  const about = { gate: 'rule:a', stage: 'pre-generation' }

  it('is what the rule returned, and none when it returned null', () => {
    expect(asked(() => null)).toEqual([])
    expect(asked(() => ({ outcome: 'refuse', message: 'm', actual: 1, threshold: 2 }))).toStrictEqual([
      { ...about, outcome: 'refuse', code: 'rule_refused', message: 'm', actual: 1, threshold: 2 },
    ])
    expect(asked(() => ({ outcome: 'pass', message: 'm' }))).toStrictEqual([
      { ...about, outcome: 'pass', code: 'passed', message: 'm' },
    ])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['returns undefined', () => undefined],
    ['returns the outcome skip', () => ({ outcome: 'skip', message: 'm' })],
    ['returns a property name of every object as outcome', () => ({ outcome: 'toString', message: 'm' })],
    ['returns no message', () => ({ outcome: 'pass' })],
  ])('refuses when a rule %s', (_, check) => {
    const failed = { outcome: 'refuse', code: 'rule_failed', message: 'The rule could not judge' }
    expect(asked(check)).toEqual([{ ...about, ...failed }])
  })

  it('keeps figures that are numbers, and omits others', () => {
    expect(asked(() => ({ outcome: 'advise', message: 'm', actual: NaN, threshold: 2 }))).toStrictEqual([
      { gate: 'rule:a', stage: 'pre-generation', outcome: 'advise', code: 'rule_advised', message: 'm', threshold: 2 },
    ])
    expect(asked(() => ({ outcome: 'advise', message: 'm', threshold: Infinity }))[0]).not.toHaveProperty('threshold')
  })
})
