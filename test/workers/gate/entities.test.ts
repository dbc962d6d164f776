import { decodeHTML, decodeHTMLAttribute, decodeHTMLStrict } from 'entities'
import { array, assert, constantFrom, nat, oneof, property } from 'fast-check'
import { expect, it } from 'vitest'
import * as small from '../../../workers/gate/entities.ts'
import { examples } from '../../properties.ts'

/** The character references of HTML 4, with `&apos;`. @see https://www.w3.org/TR/html401/sgml/entities.html */
const NAMES =
  'quot amp lt gt apos nbsp copy reg eacute szlig yuml OElig Yuml circ tilde Alpha omega thetasym piv ensp zwj rlm ndash rdquo Dagger euro lsaquo bull hellip Prime oline frasl weierp trade alefsym rarr hArr forall notin ni sum radic infin there4 asymp equiv nsub supe otimes sdot rceil lang rang loz diams AMP COPY'.split(
    ' ',
  )
const PIECES = [
  ...NAMES.flatMap((name) => [`&${name};`, `&${name}`]),
  ...'& ; # &# &#x &#x; = x ice; it 1 <b> && &nothing; &Amp;'.split(' '),
  ' ',
]

it('decodes character references like the complete table', () => {
  const number = nat(0x120000).map((code) => `&#${code};`)
  const hex = nat(0x120000).map((code) => `&#x${code.toString(16)}`)
  assert(
    property(array(oneof(constantFrom(...PIECES), number, hex), { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      expect(small.decodeHTML(text)).toBe(decodeHTML(text))
      expect(small.decodeHTMLAttribute(text)).toBe(decodeHTMLAttribute(text))
      expect(small.decodeHTMLStrict(text)).toBe(decodeHTMLStrict(text))
    }),
    { numRuns: examples(20_000) },
  )
})

it('decodes every number up to U+FFFF', () => {
  const wrong: string[] = []
  for (let code = 0; code <= 0xffff; code++) {
    if (small.decodeHTML(`&#${code};`) !== decodeHTML(`&#${code};`)) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})

it('leaves rare names of HTML 5 undecoded', () => {
  expect(small.decodeHTML('a &NotEqualTilde; b')).toBe('a &NotEqualTilde; b')
})
