import { describe, expect, it } from 'vitest'
import { englishLexicon, englishRelatives } from '../../src/core/english.ts'
import { ENGLISH_RELATIVES, ENGLISH_TERMS } from '../../src/core/english-table.ts'
import { terms } from '../../src/core/text/terms.ts'

const term = (word: string): string => terms(word)[0]!
const share = (word: string): number => (englishLexicon().documentFrequency.get(term(word)) ?? 0) / 10_000

describe('englishLexicon', () => {
  it('gives a term of rank r the chance 1 − e^(−60 · .13 / (r + 10)) to stand in a chunk of 60 terms', () => {
    const [first = ''] = ENGLISH_TERMS.split(' ')
    expect(englishLexicon().documentFrequency.get(first)).toBeCloseTo(10_000 * (1 - Math.exp(-0.78)), 9)
    expect(englishLexicon()).toMatchObject({ chunkCount: 10_000, termCount: 600_000 })
  })

  it('ranks everyday words above rare ones, and does not know the rarest', () => {
    expect(share('people')).toBeGreaterThan(share('engine'))
    expect(share('engine')).toBeGreaterThan(share('cathedral'))
    expect(share('cathedral')).toBeGreaterThan(0)
    expect(share('kubelet')).toBe(0)
  })

  it('is made of terms as this version cuts them, once each', () => {
    const listed = ENGLISH_TERMS.split(' ')
    expect(new Set(listed).size).toBe(12_000)
    for (const one of listed) expect(one).toMatch(/^[a-z]{2,}$/)
    for (const word of ['filming', 'published', 'movies', 'beginnings']) expect(listed).toContain(term(word))
  })
})

describe('englishRelatives', () => {
  it('reads every relative that is written', () => {
    const written = ENGLISH_RELATIVES.split(/[, ]/).filter((distance) => distance !== '').length
    const read = ENGLISH_TERMS.split(' ').flatMap((one) => englishRelatives(one))
    expect(read).toHaveLength(written)
    expect(read).not.toContain(undefined)
  })

  it.each([
    ['film', 'movie'],
    ['publish', 'publication'],
    ['begin', 'start'],
    ['purchase', 'buy'],
  ])('knows that %s may be said as %s', (asked, said) => {
    expect(englishRelatives(term(asked))).toContain(term(said))
  })

  it('knows none of a term itself, nor of one beyond the table', () => {
    for (const one of ENGLISH_TERMS.split(' ')) expect(englishRelatives(one)).not.toContain(one)
    expect(englishRelatives('kubelet')).toEqual([])
  })
})
