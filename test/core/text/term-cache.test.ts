import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASE, digitOf } from '../../../src/core/text/word-number.ts'
import { createTermCache } from '../../../src/core/text/term-cache.ts'

const numberOf = (word: string): number =>
  [...word].reduce((sum, _, at) => sum * BASE + digitOf(word.charCodeAt(at)), 0)

/** A cache that counts how often a term had to be made. */
function countingCache() {
  let asked = 0
  const cache = createTermCache((lower) => {
    asked++
    return `<${lower}>`
  })
  /** Looks a word up within a longer text. */
  const lookUp = (word: string): { readonly term: string | undefined; readonly asked: number } => {
    asked = 0
    return { term: cache.within(`(${word})`, 1, 1 + word.length, numberOf(word)), asked }
  }
  return { cache, lookUp }
}

describe('digitOf', () => {
  it('counts letters of both cases alike, each letter and digit otherwise, and nothing else', () => {
    const counted = Array.from({ length: 300 }, (_, code) => digitOf(code))
    const digits = [...'0123456789abcdefghijklmnopqrstuvwxyz'].map((letter) => digitOf(letter.charCodeAt(0)))
    expect(digits).toEqual(Array.from({ length: 36 }, (_, at) => at + 1))
    expect([...'AMZ'].map((letter) => digitOf(letter.charCodeAt(0)))).toEqual([11, 23, 36])
    expect(counted.filter((digit) => digit > 0)).toHaveLength(62)
    expect(digitOf(NaN)).toBe(0)
  })
})

describe('createTermCache', () => {
  it.each(['a', 'Cat', 'zzzzzzzzzz', 'zzzzzzzzzzz', '0zzzzzzzzzz', 'abcdefghijklmnopqrst'])(
    'makes the term of %s once, whatever its case',
    (word) => {
      const { lookUp } = countingCache()
      const term = `<${word.toLowerCase()}>`
      expect(lookUp(word).term).toBe(term)
      expect(lookUp(word.toUpperCase())).toEqual({ term, asked: 0 })
    },
  )

  it('does not keep words of more than twenty letters', () => {
    const { lookUp } = countingCache()
    const word = 'abcdefghijklmnopqrstu'
    expect(lookUp(word)).toEqual({ term: `<${word}>`, asked: 1 })
    expect(lookUp(word).asked).toBe(1)
  })

  it('keeps that a word has none', () => {
    let asked = 0
    const none = (): undefined => void asked++
    const cache = createTermCache(none)
    for (let at = 0; at < 2; at++) expect(cache.within('nought', 0, 6, numberOf('nought'))).toBeUndefined()
    expect(asked).toBe(1)
  })

  it('never takes a word for another one, whichever were met and forgotten', () => {
    const { lookUp } = countingCache()
    const word = fc.stringMatching(/^[a-z0-9]{1,22}$/)
    // Alike at their ends, where a word of more than ten letters is divided.
    const alike = fc.tuple(
      fc.stringMatching(/^[a0]{0,3}$/),
      fc.constantFrom('abcdefghij', 'aaaaaaaaaa', '0000000000', 'a'),
    )
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            word,
            alike.map(([head, tail]) => head + tail),
          ),
          { maxLength: 40 },
        ),
        (met) => {
          for (const one of met) expect(lookUp(one).term).toBe(`<${one}>`)
        },
      ),
    )
  })

  it.each(['', 'abcdefghij'])('nor where many words come to the same places, all ending in "%s"', (end) => {
    const { lookUp } = countingCache()
    const wrong: string[] = []
    for (let at = 0; at < 100_000; at++) {
      const word = at.toString(36) + end
      if (lookUp(word).term !== `<${word}>`) wrong.push(word)
    }
    expect(wrong).toEqual([])
  })
})
