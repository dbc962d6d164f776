import { describe, expect, it } from 'vitest'
import { EMPTY_LEXICON } from '../../../src/core/text/lexicon.ts'
import { read } from '../../../src/core/signals/text-features.ts'
import { evidenceOf } from '../../fixtures/evidence.ts'

describe('read', () => {
  it('takes one word for a synonym of every term of the question that it is one of', () => {
    const { questionTerms, chunks } = read('Does it start, or begin?', evidenceOf(['It commences.']), EMPTY_LEXICON)
    expect(questionTerms.map(({ term }) => term)).toEqual(['start', 'begin'])
    expect(chunks[0]!.relatives).toEqual([0.3, 0.3])
    expect(chunks[0]!.sentences).toMatchObject([{ held: [], synonyms: [0, 1] }])
  })

  it('takes every chunk for one of mean length where no collection is known', () => {
    const bm25 = (text: string): number => read('engine', evidenceOf([text]), EMPTY_LEXICON).chunks[0]!.bm25
    // ln 2 · 1 · 2.2 / (1 + 1.2), however long the chunk is.
    expect(bm25('Engine.')).toBeCloseTo(Math.LN2, 12)
    expect(bm25('Engine, red paint, blue paint.')).toBeCloseTo(Math.LN2, 12)
  })
})
