import { describe, expect, it } from 'vitest'
import { amongEnglish } from '../../src/core/background.ts'
import { englishLexicon } from '../../src/core/english.ts'
import { buildLexicon, EMPTY_LEXICON, inverseDocumentFrequency } from '../../src/core/text/lexicon.ts'

/** Share of everyday chunks that hold a term. */
const everyday = (term: string): number => englishLexicon().documentFrequency.get(term)! / englishLexicon().chunkCount

describe('amongEnglish', () => {
  it('sets a small collection among a hundred chunks of everyday English, of the length of its own', () => {
    const among = amongEnglish(buildLexicon(['Engine start.', 'Engine stop.']))
    expect(among).toMatchObject({ chunkCount: 102, termCount: 204 })
    expect(among.documentFrequency.get('engin')).toBeCloseTo(2 + 100 * everyday('engin'), 12)
    expect(among.documentFrequency.get('paint')).toBeCloseTo(100 * everyday('paint'), 12)
    expect(among.documentFrequency.get('kubelet')).toBe(0)
  })

  it('sets a large one among a quarter of its number', () => {
    const among = amongEnglish(buildLexicon(Array.from({ length: 1000 }, () => 'Kubelet.')))
    expect(among).toMatchObject({ chunkCount: 1250, termCount: 1250 })
    expect(among.documentFrequency.get('kubelet')).toBe(1000)
    expect(among.documentFrequency.get('paint')).toBeCloseTo(250 * everyday('paint'), 12)
  })

  it('leaves everyday English where there is nothing else', () => {
    const among = amongEnglish(EMPTY_LEXICON)
    expect(among).toMatchObject({ chunkCount: 100, termCount: 6000 })
    const [common, rare] = ['people', 'kubelet'].map((term) =>
      inverseDocumentFrequency(among, term === 'people' ? 'peopl' : term),
    )
    expect(common).toBeLessThan(rare!)
  })

  it('believes no frequency above the number of chunks', () => {
    const damaged = { chunkCount: 3, termCount: 9, documentFrequency: new Map([['kubelet', 7]]) }
    expect(amongEnglish(damaged).documentFrequency.get('kubelet')).toBe(3)
  })
})
