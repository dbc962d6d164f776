import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities'
import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCharacterNames } from '../../../src/adapters/markdown/character-names.ts'
import { decodeAttribute, decodeReference, decodeText } from '../../../src/adapters/markdown/characters.ts'

describe('references to characters', () => {
  it.each([
    ['&amp;&lt;&quot;&nbsp;&hellip;', '&<"\u00A0…', '&<"\u00A0…'],
    ['&notin; &notit; &not', '∉ ¬it; ¬', '∉ &notit; ¬'],
    ['?a=1&copy=2&copy2', '?a=1©=2©2', '?a=1&copy=2&copy2'],
    ['&#38;&#x26;&#x80;&#128', '&&€€', '&&€€'],
    ['&#0;&#xD800;&#x110000;&#99999999999999999999;', '\uFFFD\uFFFD\uFFFD\uFFFD', '\uFFFD\uFFFD\uFFFD\uFFFD'],
    ['&NotEqualTilde;&fjlig;&Zscr;', '≂̸fj𝒵', '≂̸fj𝒵'],
    ['& &; &# &#x; &nothing; &Amp; & amp;', '& &; &# &#x; ¬hing; &Amp; & amp;', '& &; &# &#x; &nothing; &Amp; & amp;'],
  ])('in %j mean %j, and in an attribute %j', (written, text, attribute) => {
    expect([decodeText(written), decodeAttribute(written)]).toEqual([text, attribute])
  })

  it('knows each name that the standard has, as another reader does', () => {
    const names = readCharacterNames()
    expect(names.size).toBe(2125)
    expect([...names.values()].filter(({ bare }) => bare)).toHaveLength(106)
    for (const [name, { characters, bare }] of names) {
      expect([name, characters, bare]).toEqual([
        name,
        decodeHTML(`&${name};`),
        decodeHTML(`a&${name}`) === `a${characters}`,
      ])
    }
  })

  it('reads every mixture as another reader does', () => {
    const pieces = '& && # x X 1 9 f amp lt not in it ; = copy AMP a notin é &#x80 &#150; 99999999999999999999'.split(
      ' ',
    )
    assert(
      property(array(constantFrom(...pieces, ' ')), (written) => {
        const text = written.join('')
        expect(decodeText(text)).toBe(decodeHTML(text))
        expect(decodeAttribute(text)).toBe(decodeHTMLAttribute(text))
        const reference = `&${text.replaceAll(/[&;]/g, '')};`
        expect(decodeReference(reference)).toBe(decodeHTMLStrict(reference))
        expect(decodeReference(reference.slice(0, -1))).toBe(decodeHTMLStrict(reference.slice(0, -1)))
      }),
      { numRuns: 2000 },
    )
  })

  it('takes time that rises with the length alone', () => {
    const long = 1_000_000
    for (const text of ['&'.repeat(long), `&${'a'.repeat(long)}`, '&not'.repeat(long / 4), `&#${'9'.repeat(long)}`]) {
      const began = performance.now()
      decodeText(text)
      expect(performance.now() - began).toBeLessThan(2000)
    }
  })
})
