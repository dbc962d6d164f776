import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../src/core/evidence/chunk.ts'
import { feedbackTerms } from '../../../src/core/evidence/feedback-terms.ts'
import { buildLexicon, EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { terms } from '../../../src/core/text/terms.ts'
import { aPassage } from '../../fixtures/evidence.ts'

const chunksOf = (texts: readonly string[]): Chunk[] =>
  texts.map((text, at) => ({ ...aPassage(`c${at}`, { text }), scores: {} }))

const TEXTS = ['The engine needs a carburettor.', 'The engine needs oil.', 'The engine needs a key.']

describe('feedbackTerms', () => {
  it('takes the rare words of the best chunks, none of the question, as they are written', () => {
    const found = feedbackTerms('Which engine?', chunksOf(TEXTS), buildLexicon(TEXTS), { terms: 2 })
    expect(found).toEqual(['carburettor', 'oil'])
  })

  it('reads only so many chunks, and the better one weighs more', () => {
    const chunks = chunksOf(['alpha', 'beta', 'gamma'])
    expect(feedbackTerms('q', chunks, EMPTY_LEXICON)).toEqual(['alpha', 'beta'])
    expect(feedbackTerms('q', chunks, EMPTY_LEXICON, { chunks: 3, terms: 9 })).toEqual(['alpha', 'beta', 'gamma'])
  })

  it('finds nothing without chunks', () => {
    expect(feedbackTerms('Which engine?', [], EMPTY_LEXICON)).toEqual([])
  })

  it('gives at most so many words, each of its own term and none of the question, for any texts', () => {
    const text = fc.array(fc.constantFrom('engine', 'engines', 'key', 'Keys', 'the', 'oil', 'paint'), { maxLength: 9 })
    const texts = fc.array(
      text.map((words) => words.join(' ')),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(texts, fc.constantFrom('engine', 'keys', ''), fc.nat(6), (given, question, most) => {
        const found = feedbackTerms(question, chunksOf(given), buildLexicon(given), { terms: most })
        const stems = found.map((word) => terms(word)[0])
        expect(found.length).toBeLessThanOrEqual(most)
        expect(new Set(stems).size).toBe(found.length)
        for (const stem of stems) expect(terms(question)).not.toContain(stem)
      }),
    )
  })
})
