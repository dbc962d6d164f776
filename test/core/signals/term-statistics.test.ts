import { describe, expect, it } from 'vitest'
import { termStatistics } from '../../../src/core/signals/term-statistics.ts'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { buildLexicon } from '../../fixtures/english.ts'

/** Chunks of two terms, half of which hold `engin`. */
const lexicon = (chunks: number): ReturnType<typeof buildLexicon> =>
  buildLexicon(Array.from({ length: chunks }, (_, at) => (at % 2 === 0 ? 'Engine start.' : 'Red paint.')))

describe('termStatistics', () => {
  it('gives every term the same frequency without a lexicon', () => {
    const { idf, rate, meanChunkLength } = termStatistics(EMPTY_LEXICON)
    expect(idf('engin')).toBe(idf('paint'))
    expect(idf('engin')).toBeCloseTo(Math.log(1 + 100.5 / 0.5), 12)
    expect(rate('engin')).toBe(0.5 / 10_000)
    expect(meanChunkLength).toBe(1)
  })

  it.each([
    // Chunks, and those that hold `engin`; filled up to a hundred chunks of two terms.
    [2, 1, 100],
    [4, 2, 100],
    [100, 50, 100],
    [400, 200, 400],
  ])('treats %i chunks, %i of them with the term, like a collection of %i', (chunks, holding, counted) => {
    const { idf, rate, meanChunkLength } = termStatistics(lexicon(chunks))
    expect(idf('engin')).toBeCloseTo(Math.log(1 + (counted - holding + 0.5) / (holding + 0.5)), 12)
    expect(rate('engin')).toBeCloseTo((holding + 0.5) / (2 * counted), 12)
    expect(rate('unheard')).toBeCloseTo(0.5 / (2 * counted), 12)
    expect(meanChunkLength).toBe(2)
  })

  it('caps the number of chunks with a term at the number of chunks', () => {
    const damaged = termStatistics({ chunkCount: 3, termCount: 0, documentFrequency: new Map([['engin', 1e9]]) })
    expect(damaged.idf('engin')).toBeCloseTo(Math.log(1 + 97.5 / 3.5), 12)
    expect(damaged.rate('engin')).toBe(3.5 / 10_000)
    const without = termStatistics({ chunkCount: 0, termCount: 5, documentFrequency: new Map([['engin', 2]]) })
    expect(without.rate('engin')).toBe(0.5 / 10_000)
  })
})
