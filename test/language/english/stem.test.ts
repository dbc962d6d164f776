import { readdirSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { stemmer } from 'stemmer'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../src/language/english/stem.ts'
import { examples } from '../../properties.ts'

/** Question sets beside the repository, where they are kept; the table below always runs. */
const DATA = new URL('../../../../shared/data/', import.meta.url)

function corpora(): URL[] {
  try {
    return readdirSync(DATA, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('corpus.jsonl'))
      .map((path) => new URL(path, DATA))
  } catch {
    return []
  }
}

describe('stem', () => {
  it.each([
    // From the steps of Porter's paper.
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['ties', 'ti'],
    ['cats', 'cat'],
    ['feed', 'feed'],
    ['agreed', 'agre'],
    ['plastered', 'plaster'],
    ['bled', 'bled'],
    ['motoring', 'motor'],
    ['sing', 'sing'],
    ['conflated', 'conflat'],
    ['troubled', 'troubl'],
    ['sized', 'size'],
    ['hopping', 'hop'],
    ['tanned', 'tan'],
    ['falling', 'fall'],
    ['hissing', 'hiss'],
    ['fizzed', 'fizz'],
    ['failing', 'fail'],
    ['filing', 'file'],
    ['happy', 'happi'],
    ['sky', 'sky'],
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['rational', 'ration'],
    ['valenci', 'valenc'],
    ['digitizer', 'digit'],
    ['vietnamization', 'vietnam'],
    ['operator', 'oper'],
    ['feudalism', 'feudal'],
    ['decisiveness', 'decis'],
    ['hopefulness', 'hope'],
    ['callousness', 'callous'],
    ['sensibiliti', 'sensibl'],
    ['triplicate', 'triplic'],
    ['formative', 'form'],
    ['electrical', 'electr'],
    ['goodness', 'good'],
    ['revival', 'reviv'],
    ['allowance', 'allow'],
    ['airliner', 'airlin'],
    ['gyroscopic', 'gyroscop'],
    ['adjustable', 'adjust'],
    ['irritant', 'irrit'],
    ['replacement', 'replac'],
    ['adoption', 'adopt'],
    ['communism', 'commun'],
    ['effective', 'effect'],
    ['probate', 'probat'],
    ['rate', 'rate'],
    ['cease', 'ceas'],
    ['controll', 'control'],
    ['roll', 'roll'],
    ['generalizations', 'gener'],
    ['oscillators', 'oscil'],
    ['retries', 'retri'],
    ['retry', 'retri'],
    ['technology', 'technolog'],
    ['possibly', 'possibl'],
    ['yes', 'ye'],
    ['yyyy', 'yyyi'],
    // A doubled vowel is no double; two letters are not short; -ion goes only after s and t, at the very end.
    ['seeing', 'see'],
    ['wooed', 'woo'],
    ['slipped', 'slip'],
    ['used', 'us'],
    ['ape', 'ap'],
    ['religion', 'religion'],
    ['battalion', 'battalion'],
    // A y is a vowel behind a consonant; w, x and y end no short stem.
    ['ying', 'ying'],
    ['toyed', 'toi'],
    ['employing', 'emploi'],
    ['enjoyment', 'enjoy'],
    ['dying', 'dy'],
    ['styled', 'style'],
    ['snowing', 'snow'],
    ['boxing', 'box'],
    ['agreeable', 'agreeabl'],
  ])('reduces %s to %s', (word, expected) => {
    expect(stem(word)).toBe(expected)
  })

  it.each(['a', 'is', 'Running', 'naïve', 'café', '3rd', 'cats2', '中文', ''])('keeps %j unchanged', (word) => {
    expect(stem(word)).toBe(word)
  })

  it('agrees with the package `stemmer` on invented words', () => {
    const suffixes = `s es ies sses ed eed ing ated bled ized y ational tional enci anci izer abli alli entli eli ousli
      ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance
      ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize e ll`.split(/\s+/)
    const letters = fc.string({ unit: fc.constantFrom(...'aeioubcdflmnprstvwxyz'), minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(
        letters,
        fc.constantFrom('', ...suffixes),
        fc.constantFrom('', ...suffixes),
        (root, first, second) => {
          const word = root + first + second
          // Where the package departs from Porter's own program: words that are all suffix, and a doubled y.
          fc.pre(word.length > 2 && !/yy|^(?:eeds?|ies|sses)$/.test(word))
          expect([word, stem(word)]).toEqual([word, stemmer(word)])
        },
      ),
      { numRuns: examples(5000) },
    )
  })

  it('agrees with the package `stemmer` on every word of the question sets', ({ skip }) => {
    const files = corpora()
    if (files.length === 0) skip('the question sets are not beside the repository')
    const vocabulary = new Set(
      files.flatMap(
        (file) =>
          readFileSync(file, 'utf8')
            .toLowerCase()
            .match(/[a-z]{3,}/g) ?? [],
      ),
    )
    const different = [...vocabulary].filter((word) => stem(word) !== stemmer(word))
    expect(vocabulary.size).toBeGreaterThan(20_000)
    expect(different).toEqual([])
  })
})
