import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emphasis, PLAIN } from '../../src/core/emphasis.ts'
import { terms } from '../../src/core/text/terms.ts'

const NAME = { found: 1.25, missing: 2.5 }
const FRAME = { found: 0.7, missing: 0.7 }

const names = (question: string): string[] =>
  [...emphasis(question)].filter(([, { missing }]) => missing === NAME.missing).map(([term]) => term)

describe('emphasis', () => {
  it.each([
    ['a word with a capital', 'who governs Chicago', ['chicago']],
    ['a word of capitals', 'how do I scale AKS nodes', ['ak']],
    ['a capital within a word', 'what does maxAllowedFailures do', ['maxallowedfailur']],
    ['a letter of another alphabet', 'когда построили Кремль', ['кремль']],
    ['quoted words', 'who sang "Let My Love" first', ['let', 'love']],
    ['the word after an abbreviation', 'is Mr. Bean funny', ['mr', 'bean']],
    ['no word that begins the question', 'Clusters need nodes', []],
    ['no word that begins a quoted question', '“Clusters” need nodes', []],
    ['no word that begins a later sentence', 'It stopped. Nodes are gone! Pods too? (Volumes remain)', []],
    ['a capital within the first word', 'AKS scales', ['ak']],
    ['no small letters', 'who governs chicago', []],
    ['no digits', 'what is rfc 9110', []],
    ['no script without capitals', '東京の人口は', []],
  ])('takes for names: %s', (_, question, expected) => {
    expect(names(question)).toEqual(expected)
  })

  it('knows words that questions are made of, unless they stand in a name', () => {
    const found = emphasis('how many museums does the Time group call its own')
    expect(Object.fromEntries(found)).toEqual({
      mani: FRAME,
      museum: PLAIN,
      time: NAME,
      group: PLAIN,
      call: FRAME,
    })
  })

  it('takes a term for a name when one of its words is, wherever that stands', () => {
    expect(emphasis('is the apple from Apple').get('appl')).toEqual(NAME)
    expect(emphasis('does Apple sell the apple').get('appl')).toEqual(NAME)
  })

  it('knows every term of a question, and no others', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (question) => {
        expect(new Set(emphasis(question).keys())).toEqual(new Set(terms(question)))
      }),
    )
  })
})
