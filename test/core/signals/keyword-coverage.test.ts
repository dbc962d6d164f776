import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'
import { measure } from '../../fixtures/english.ts'

describe('keywordCoverage', () => {
  it.each([
    ['all keywords, over several chunks', 'red engine key', ['The red key.', 'Engines.'], 1],
    ['some of them', 'red engine key pump', ['The key.'], 0.25],
    ['none of them', 'red engine', ['Paint.'], 0],
    ['a question without keywords', 'what is it?', ['Paint.'], 0],
  ])('is the share of keywords found: %s', (_, question, texts, share) => {
    expect(measure(question, evidenceOf(texts), EMPTY_LEXICON).keywordCoverage).toBe(share)
  })
})
