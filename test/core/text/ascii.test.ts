import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAscii } from '../../../src/core/text/ascii.ts'
import { questionParts } from '../../../src/language/english/question-parts.ts'
import { sentences } from '../../../src/core/text/sentences.ts'
import { normaliseQuestion } from '../../../src/core/text/normalise.ts'
import { isReadable } from '../../../src/core/text/readable.ts'
import { words } from '../../../src/core/text/words.ts'
import { DEEP } from '../../deep-run.ts'
import { terms } from '../../fixtures/english.ts'

/** Any characters of ASCII, control characters among them. */
const ascii = fc.string({ unit: 'binary-ascii', maxLength: 80 })
/** A letter beyond ASCII: with it, a text is read by the classes of Unicode. */
const BEYOND = 'ʒ'
const beyondAscii = (text: string): string => text.replaceAll('z', 'ʒ').replaceAll('Z', 'Ʒ')

const written = (pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((drawn) => drawn.join(''))

describe('isAscii', () => {
  it.each([
    ['', true],
    ['\u0000 ~\u007f', true],
    ['\u0080', false],
    ['a\uffff', false],
    ['\ud800', false],
    ['\u{1F600}', false],
  ])('%j: %s', (text, plain) => expect(isAscii(text)).toBe(plain))
})

describe('a text in ASCII is read like the same text beside a non-ASCII letter', () => {
  it('in its words and terms', () => {
    fc.assert(
      fc.property(ascii, (text) => {
        expect([...words(text), BEYOND]).toEqual(words(`${text} ${BEYOND}`))
        expect([...terms(text), BEYOND]).toEqual(terms(`${text} ${BEYOND}`))
      }),
    )
  })

  it('in its folded form', () => {
    fc.assert(
      fc.property(ascii, (text) => {
        expect(`${normaliseQuestion(text)}\n\n${BEYOND}`.trim()).toBe(normaliseQuestion(`${text}\n\n${BEYOND}`))
      }),
    )
  })

  it('in whether it is readable', () => {
    fc.assert(
      fc.property(ascii, (text) => {
        expect(isReadable(`${text}e`)).toBe(isReadable(`${text}é`))
      }),
    )
  })

  it('in its sentences', () => {
    const pieces = ['Z', ' Z', 'Z.', 'z', ' Dr', ' e.g', '1', '.', '. ', '? ', ')', '"', '\n']
    fc.assert(
      fc.property(written(pieces), (text) => {
        expect(sentences(beyondAscii(text))).toEqual(sentences(text).map(beyondAscii))
      }),
    )
  })

  it('in the parts of a question', () => {
    const pieces = [
      ' what',
      ' how',
      ' zoo',
      ' zebras',
      ' Zambia',
      ' and',
      ' or',
      ' also',
      ',',
      '?',
      '?zoo',
      ':',
      ' -',
      '.',
    ]
    fc.assert(
      fc.property(written(pieces), (text) => {
        const { bare, parts } = questionParts(text)
        expect(questionParts(beyondAscii(text))).toMatchObject({
          bare: beyondAscii(bare),
          parts: parts.map(beyondAscii),
        })
      }),
    )
  })
})

it('punctuation does not change the words beside it, with or without a non-ASCII letter', () => {
  const wrong: string[] = []
  // Beyond the last that is told by its code a part, but in deep runs.
  for (let code = 0; code <= 0xffff; code += DEEP || code < 0x3100 ? 1 : 11) {
    const text = `retries${String.fromCharCode(code)}the 1st résumé${String.fromCharCode(code)}`
    if ([...words(text), BEYOND].join() !== words(`${text} ${BEYOND}`).join()) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})
