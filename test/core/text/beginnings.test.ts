import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beginningsAround, beginningsOf, beginsWithOneOf } from '../../../src/core/text/beginnings.ts'
import { stem } from '../../../src/language/english/stem.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { examples } from '../../properties.ts'

const ENDINGS = [
  '',
  's',
  'es',
  'ies',
  'ed',
  'eed',
  'ing',
  'y',
  'ys',
  'ly',
  'ization',
  'ational',
  'biliti',
  'ness',
  'ement',
]
/** Short words keep least of their letters. */
const word = fc.oneof(
  fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), fc.constantFrom(...ENDINGS)).map(([start, ending]) => start + ending),
  fc.stringMatching(/^[a-z\d]{1,3}$/),
  anyText({ minLength: 1, maxLength: 4 }),
)

describe('beginningsOf', () => {
  it.each([
    ['ies', 'i'],
    ['eys', 'ei'],
    ['oing', 'o'],
    ['retries', 'retri'],
  ])('are those of %s, whose term is %s', (one, term) => {
    expect(stem(one)).toBe(term)
    expect(beginsWithOneOf(one, beginningsOf([term]))).toBe(true)
  })

  it('are those of every word that has the term', () => {
    fc.assert(
      fc.property(word, (one) => {
        expect(beginsWithOneOf(one, beginningsOf(['other', stem(one)]))).toBe(true)
      }),
      { numRuns: examples(2000) },
    )
  })

  it('are those of every word whose term has three letters in common with one', () => {
    fc.assert(
      fc.property(word, word, (one, tail) => {
        const term = stem(one)
        fc.pre(term.length >= 3)
        expect(beginsWithOneOf(one, beginningsOf([term.slice(0, 3) + tail]))).toBe(true)
      }),
    )
  })

  it('are not those of most words', () => {
    const beginnings = beginningsOf(['engine', 'paint'])
    expect(['red', 'blue', 'entry', 'pint', 'a', 'gen'].filter((one) => beginsWithOneOf(one, beginnings))).toEqual([
      'entry',
    ])
  })
})

it('beginningsAround are those of words that have one of the first two letters among theirs', () => {
  const letters = fc.stringMatching(/^[a-z]{2,8}$/)
  fc.assert(
    fc.property(letters, letters, (term, other) => {
      const share = new RegExp(`^.?[${term.slice(0, 2)}]`).test(other)
      expect(beginsWithOneOf(other, beginningsAround(term))).toBe(share)
    }),
  )
})
