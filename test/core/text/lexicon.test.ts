import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  buildLexicon as buildLexiconIn,
  decodeLexicon,
  EMPTY_LEXICON,
  encodeLexicon,
  idfMass,
  inverseDocumentFrequency,
  type Lexicon,
  meanChunkLength,
  updateLexicon,
} from '../../../src/core/text/lexicon.ts'
import { anyText } from '../../fixtures/any-text.ts'
import { nameOfLanguage } from '../../../src/core/text/language.ts'
import { buildLexicon } from '../../fixtures/english.ts'

const word = fc.constantFrom(
  'engine',
  'engines',
  'start',
  'starting',
  'the',
  '東京都',
  'Größe',
  '🜁',
  'constructor',
  '__proto__',
)
const chunkText = fc.oneof(
  fc.array(word, { maxLength: 8 }).map((found) => found.join(' ')),
  anyText({ maxLength: 20 }),
)
const texts = fc.array(chunkText, { maxLength: 6 })

describe('buildLexicon', () => {
  it('counts chunks, all terms, and the chunks that contain each term', () => {
    const lexicon = buildLexicon(['Engine starts. The engines start.', 'A stopped engine', 'the of'])
    expect(lexicon.chunkCount).toBe(3)
    expect(lexicon.termCount).toBe(4 + 2 + 0)
    expect(Object.fromEntries(lexicon.documentFrequency)).toEqual({ engin: 2, start: 1, stop: 1 })
    expect(meanChunkLength(lexicon)).toBe(2)
  })

  it('gives a mean chunk length of 1 when there are no terms', () => {
    expect(meanChunkLength(EMPTY_LEXICON)).toBe(1)
    expect(meanChunkLength(buildLexicon(['the of', '']))).toBe(1)
    expect(meanChunkLength({ ...EMPTY_LEXICON, termCount: 9 })).toBe(1)
  })
})

describe('updateLexicon', () => {
  it('gives the same lexicon as building it from all texts at once', () => {
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const updated = updateLexicon(buildLexicon(before), { added: buildLexicon(after), removed: EMPTY_LEXICON })
        expect(encodeLexicon(updated)).toBe(encodeLexicon(buildLexicon([...before, ...after])))
      }),
    )
  })

  it('restores the lexicon when added texts are removed', () => {
    fc.assert(
      fc.property(texts, texts, (before, coming) => {
        const base = buildLexicon(before)
        const change = buildLexicon(coming)
        const grown = updateLexicon(base, { added: change, removed: EMPTY_LEXICON })
        expect(encodeLexicon(updateLexicon(grown, { added: EMPTY_LEXICON, removed: change }))).toBe(encodeLexicon(base))
        expect(encodeLexicon(updateLexicon(base, { added: change, removed: change }))).toBe(encodeLexicon(base))
      }),
    )
  })

  it('does not change the lexicon that it was given', () => {
    const base = buildLexicon(['engine'])
    const before = encodeLexicon(base)
    updateLexicon(base, { added: buildLexicon(['engine start']), removed: buildLexicon(['engine']) })
    expect(encodeLexicon(base)).toBe(before)
  })

  it('never counts below 0 when texts are removed that had not been counted', () => {
    const updated = updateLexicon(EMPTY_LEXICON, { added: EMPTY_LEXICON, removed: buildLexicon(['engine start']) })
    expect(encodeLexicon(updated)).toBe('lexicon/2 - 0 0')
  })
})

describe('the lexicons of two languages', () => {
  const german = { ...buildLexicon(['motor']), language: 'german' }
  const english = buildLexicon(['engine'])

  it('cannot be merged', () => {
    const message = 'The collection lexicon is of english, and not of german'
    const fault = expect.objectContaining({ code: 'lexicon_unreadable', message })
    expect(() => updateLexicon(english, { added: german, removed: EMPTY_LEXICON })).toThrow(fault)
    expect(() => updateLexicon(EMPTY_LEXICON, { added: english, removed: german })).toThrow(fault)
  })

  it('have the language in their names, and an empty lexicon has none', () => {
    expect(updateLexicon(EMPTY_LEXICON, { added: german, removed: EMPTY_LEXICON }).language).toBe('german')
    expect(updateLexicon(german, { added: EMPTY_LEXICON, removed: german }).language).toBe('')
    const nameless = { ...german, language: '' }
    expect(updateLexicon(nameless, { added: nameless, removed: EMPTY_LEXICON }).language).toBe('')
    for (const lexicon of [
      german,
      EMPTY_LEXICON,
      { ...german, language: 'de-1996' },
      { ...german, language: '9lives' },
    ])
      expect(decodeLexicon(encodeLexicon(lexicon))).toEqual(lexicon)
    expect([nameOfLanguage(undefined), buildLexiconIn(['a'], undefined).language]).toEqual(['neutral', 'neutral'])
  })
})

describe('inverse document frequency', () => {
  const lexicon: Lexicon = {
    language: 'english',
    chunkCount: 10,
    termCount: 100,
    documentFrequency: new Map([
      ['common', 10],
      ['half', 5],
      ['rare', 1],
      ['impossible', 99],
    ]),
  }

  it.each([
    // ln(1 + (N − n + .5) / (n + .5)), worked out by hand to six places.
    ['absent', Math.log(22), 3.091042],
    ['rare', Math.log(11 / 1.5), 1.99243],
    ['half', Math.log(11 / 5.5), Math.LN2],
    ['common', Math.log(11 / 10.5), 0.04652],
  ])('of a term that is %s follows the formula', (term, exact, printed) => {
    expect(inverseDocumentFrequency(lexicon, term)).toBeCloseTo(exact, 12)
    expect(inverseDocumentFrequency(lexicon, term)).toBeCloseTo(printed, 5)
  })

  it('stays above 0 when a count is larger than the number of chunks', () => {
    expect(inverseDocumentFrequency(lexicon, 'impossible')).toBe(inverseDocumentFrequency(lexicon, 'common'))
  })

  it('is ln 2 for every term of the empty lexicon', () => {
    expect(inverseDocumentFrequency(EMPTY_LEXICON, 'anything')).toBeCloseTo(Math.LN2, 12)
  })

  it('falls as a term becomes more common', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat({ max: 999 }), (chunkCount, n) => {
        fc.pre(n < chunkCount)
        const at = (count: number): number =>
          inverseDocumentFrequency({ chunkCount, termCount: 1, documentFrequency: new Map([['t', count]]) }, 't')
        expect(at(n)).toBeGreaterThan(at(n + 1))
        expect(at(n + 1)).toBeGreaterThan(0)
      }),
    )
  })

  it('is summed over distinct terms', () => {
    expect(idfMass(lexicon, ['half', 'rare', 'half'])).toBeCloseTo(Math.LN2 + 1.99243, 5)
    expect(idfMass(lexicon, [])).toBe(0)
  })
})

describe('encodeLexicon and decodeLexicon', () => {
  it('round-trip any lexicon', () => {
    fc.assert(
      fc.property(texts, (chunks) => {
        const lexicon = buildLexicon(chunks)
        const read = decodeLexicon(encodeLexicon(lexicon))
        expect(read.chunkCount).toBe(lexicon.chunkCount)
        expect(read.termCount).toBe(lexicon.termCount)
        expect(new Map([...read.documentFrequency].sort())).toEqual(new Map([...lexicon.documentFrequency].sort()))
      }),
    )
  })

  it('write equal lexicons alike, in whatever order they were counted', () => {
    fc.assert(
      fc.property(texts, (chunks) => {
        expect(encodeLexicon(buildLexicon([...chunks].reverse()))).toBe(encodeLexicon(buildLexicon(chunks)))
      }),
    )
  })

  it('write a header and a line for each frequency', () => {
    expect(encodeLexicon(buildLexicon(['engine stop', 'engine start']))).toBe(
      'lexicon/2 english 2 4\n1 start stop\n2 engin',
    )
  })

  it('read counts of several digits', () => {
    expect(decodeLexicon('lexicon/2 english 120 3456\n10 a b\n117 c')).toEqual({
      language: 'english',
      chunkCount: 120,
      termCount: 3456,
      documentFrequency: new Map([
        ['a', 10],
        ['b', 10],
        ['c', 117],
      ]),
    })
  })

  it.each([
    ['nothing', ''],
    ['another format', 'lexicon/2 1 1\n1 a'],
    ['a truncated header', 'lexicon/2 english 1'],
    ['a header with further fields', 'lexicon/2 english 1 1 1\n1 a'],
    ['text before the header', ' lexicon/2 english 1 1\n1 a'],
    ['a negative count of chunks', 'lexicon/2 english -1 1'],
    ['JSON', '{"chunkCount":1}'],
  ])('reject %s', (_, text) => {
    expect(() => decodeLexicon(text)).toThrow(
      expect.objectContaining({
        code: 'lexicon_unreadable',
        message: 'The collection lexicon is not in a form this version can read',
      }),
    )
  })

  it.each([
    ['a frequency of 0', 'lexicon/2 english 1 1\n0 a'],
    ['a negative frequency', 'lexicon/2 english 1 1\n-1 a'],
    ['a fraction', 'lexicon/2 english 1 1\n1.5 a'],
    ['a line without a frequency', 'lexicon/2 english 1 1\na b'],
    ['an empty line', 'lexicon/2 english 1 1\n\n1 a'],
    ['a line truncated after its frequency', 'lexicon/2 english 1 1\n1'],
    ['an empty term', 'lexicon/2 english 1 1\n1 a  b'],
  ])('reject as damaged: %s', (_, text) => {
    expect(() => decodeLexicon(text)).toThrow(
      expect.objectContaining({ code: 'lexicon_unreadable', message: 'The collection lexicon is damaged' }),
    )
  })
})
