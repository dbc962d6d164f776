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

  it('takes as many for each that counts in English', () => {
    expect(stretchesOf([numbered(13)], english, 2)).toEqual([])
    expect(lengths(stretchesOf([numbered(14)], english, 2))).toEqual([8, 8, 8])
  })

  it('counts pairs of letters where nothing stands between words', () => {
    const letters = Array.from({ length: 19 }, (_, at) => String.fromCodePoint(0x4e00 + at))
    const pairs = letters.slice(1).map((letter, at) => letters[at]! + letter)
    expect(stretchesOf([letters.slice(1).join('')], english, 3)).toEqual([])
    expect(stretchesOf([letters.join('')], english, 3)).toEqual([
      pairs.slice(0, 12).join(' '),
      pairs.slice(6).join(' '),
    ])
  })

  it('holds every word of long parts in at most sixteen stretches of four words and more', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 20 }), (counts) => {
        const parts = counts.map(numbered)
        const stretches = stretchesIn(parts)
        expect(stretches.length).toBeLessThanOrEqual(16)
        for (const length of lengths(stretches)) expect(length).toBeGreaterThanOrEqual(4)
        const seen = new Set(stretches.flatMap((stretch) => stretch.split(' ')))
        const long = parts.slice(0, 16).filter((part) => part.split(' ').length >= 10)
        for (const part of long) for (const word of part.split(' ')) expect(seen).toContain(word)
      }),
    )
  })
})
