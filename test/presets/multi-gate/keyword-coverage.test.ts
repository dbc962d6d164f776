import { askGate } from '../../fixtures/policy.ts'
import { describe, expect, it } from 'vitest'
import { keywordCoverage } from '../../../packages/presets/src/multi-gate/keyword-coverage.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { evidenceOf, signalsOf } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

const check = (question: string, texts: readonly string[], adviseBelow?: number) =>
  askGate(keywordCoverage(adviseBelow === undefined ? {} : { adviseBelow }), {
    signals: measure(question, evidenceOf(texts), EMPTY_LEXICON),
    confidence: 1,
  })

describe('keywordCoverage', () => {
  it('has the words counted', () => {
    const { gate, settings } = keywordCoverage()
    expect(gate.reads!(settings).map(({ name }) => name)).toEqual(['questionTermCount', 'keywordCoverage'])
  })

  it.each([
    ['all keywords found, over several chunks', 'red engine key', ['The red key.', 'Engines.'], 'pass', 1],
    ['half of the keywords found', 'red engine', ['The red key.'], 'pass', 0.5],
    ['too few keywords found', 'red engine key', ['The key.'], 'advise', 1 / 3],
    ['no keyword found', 'red engine', ['Paint.'], 'advise', 0],
  ])('judges %s', (_, question, texts, outcome, actual) => {
    const code = outcome === 'pass' ? 'passed' : 'keywords_missing'
    expect(check(question, texts)).toMatchObject({ outcome, code, actual, threshold: 0.5 })
  })

  it.each([
    [1, 'Share of keywords found (1.00) meets threshold (0.5)'],
    [0.25, 'Share of keywords found (0.25) below threshold (0.5)'],
    [NaN, 'The keywords were not counted'],
    ['1', 'The keywords were not counted'],
    [null, 'The keywords were not counted'],
  ])('reports for a share of %j: %s', (share, message) => {
    const signals = signalsOf({ questionTermCount: 2, keywordCoverage: share as number })
    expect(askGate(keywordCoverage(), { signals, confidence: 1 }).message).toBe(message)
  })

  it('refuses when keywords were not counted', () => {
    const signals = signalsOf({ questionTermCount: 2, keywordCoverage: NaN })
    expect(askGate(keywordCoverage(), { signals, confidence: 1 })).toMatchObject({
      outcome: 'refuse',
      code: 'keyword_coverage_missing',
    })
  })

  it.each([
    ['adviseBelow', -0.1],
    ['adviseBelow', 1.1],
    ['refuseBelow', 0.5],
  ])('rejects %s: %d', (param, value) => {
    const fault = expect.objectContaining({ code: 'policy_invalid', param })
    expect(() => keywordCoverage({ [param]: value })).toThrow(fault)
  })

  it('skips a question without keywords, and can require all of them', () => {
    expect(check('what is it?', ['text'])).toMatchObject({
      outcome: 'skip',
      code: 'no_keywords',
      message: 'The question has no keywords to look for',
    })
    expect(check('red engine', ['The red key.'], 1)).toMatchObject({ outcome: 'advise', code: 'keywords_missing' })
  })
})
