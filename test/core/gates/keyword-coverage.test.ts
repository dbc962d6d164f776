import { describe, expect, it } from 'vitest'
import { keywordCoverage, keywordCoverageGate } from '../../../src/core/gates/keyword-coverage.ts'
import { EMPTY_LEXICON } from '../../../src/core/lexicon.ts'
import { measure } from '../../../src/core/measure.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

const check = (question: string, texts: readonly string[], adviseBelow?: number) =>
  keywordCoverageGate.check(keywordCoverage(adviseBelow === undefined ? {} : { adviseBelow }), {
    signals: measure(question, evidenceOf(texts), EMPTY_LEXICON),
    confidence: 1,
  })

describe('keywordCoverage', () => {
  it.each([
    ['all of them, over several chunks', 'red engine key', ['The red key.', 'Engines.'], 'pass', 1],
    ['half of them', 'red engine', ['The red key.'], 'pass', 0.5],
    ['too few', 'red engine key', ['The key.'], 'advise', 1 / 3],
    ['none', 'red engine', ['Paint.'], 'advise', 0],
  ])('finds %s', (_, question, texts, outcome, actual) => {
    expect(check(question, texts)).toMatchObject({ outcome, actual, threshold: 0.5 })
  })

  it('skips a question without keywords, and can ask for all of them', () => {
    expect(check('what is it?', ['text'])).toMatchObject({ outcome: 'skip', code: 'no_keywords' })
    expect(check('red engine', ['The red key.'], 1)).toMatchObject({ outcome: 'advise', code: 'keywords_missing' })
  })
})
