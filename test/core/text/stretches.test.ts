import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stretchesOf } from '../../../src/core/text/stretches.ts'
import { english } from '../../../src/language/english/english.ts'

const stretchesIn = (parts: readonly string[]): readonly string[] => stretchesOf(parts, english)

const numbered = (count: number): string => Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
const lengths = (stretches: readonly string[]): number[] => stretches.map((stretch) => stretch.split(' ').length)

describe('stretchesOf', () => {
  it('has none for short parts, with anything between the words that count', () => {
    expect(stretchesIn([])).toEqual([])
    expect(stretchesIn([numbered(9), `what is the ${numbered(9)} of it and of that?`])).toEqual([])
  })

  it('takes every four words that count of a long part, two further on each time', () => {
    expect(stretchesIn([`What is the ${numbered(10)} of it?`, 'What of this?'])).toEqual([
      'word0 word1 word2 word3',
      'word2 word3 word4 word5',
      'word4 word5 word6 word7',
      'word6 word7 word8 word9',
    ])
  })

  it('holds every word of long parts in at most sixteen stretches, and one for each, of four words and more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 20 }), (counts) => {
        const parts = counts.map(numbered)
        const stretches = stretchesIn(parts)
        const long = parts.filter((part) => part.split(' ').length >= 10)
        expect(stretches.length).toBeLessThanOrEqual(16 + long.length)
        for (const length of lengths(stretches)) expect(length).toBeGreaterThanOrEqual(4)
        const seen = new Set(stretches.flatMap((stretch) => stretch.split(' ')))
        expect(long.flatMap((part) => part.split(' ')).filter((word) => !seen.has(word))).toEqual([])
      }),
    )
  })
})
