import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeSpans, mapCode } from '../../../src/core/text/code-spans.ts'
import { growth, PROPORTION } from '../../growth.ts'

const codeOf = (text: string): string[] => codeSpans(text).map(({ from, to }) => text.slice(from, to))

describe('codeSpans', () => {
  it.each([
    ['between backticks', 'a `b` c ``d ` e`` f', ['`b`', '``d ` e``']],
    ['over the end of a line', 'a `b\nc` d', ['`b\nc`']],
    ['not over a blank line', 'a `b\n\nc` d', []],
    ['not with another number of backticks', 'a `b`` c', []],
    ['between fences', 'a\n```js\nb `c\n```\nd', ['```js\nb `c\n```']],
    ['between tildes', '~~~\n```\n~~~\n`a`', ['~~~\n```\n~~~', '`a`']],
    ['in an item', '- ```\n  a\n  ```\n- b', ['- ```\n  a\n  ```']],
    ['to the end, where the fence has none', 'a\n````\nb\n```\nc', ['````\nb\n```\nc']],
    ['behind a longer fence', '```\na\n`````\n`b`', ['```\na\n`````', '`b`']],
    ['not what has backticks behind three of them', '```a``` b', ['```a```']],
    ['behind an empty line at the beginning', '\n~~~\na\n~~~', ['~~~\na\n~~~']],
    ['with what begins another fence within', '```\na\n```js\nb\n```\nc', ['```\na\n```js\nb\n```']],
    ['in the lines before a fence', '`a`\n```\nb\n```', ['`a`', '```\nb\n```']],
    ['in every paragraph', '`a`\n\n`b`\n  \n`c`', ['`a`', '`b`', '`c`']],
    ['not over a line of blanks', 'a `b\n  \nc` d', []],
    ['nowhere', 'a b', []],
  ])('finds code %s', (_, text, code) => {
    expect(codeOf(text)).toEqual(code)
  })

  it('is changed by itself, and so is what lies between', () => {
    const marked = (part: string): string => `<${part}>`
    const capitals = (part: string): string => part.toUpperCase()
    expect(mapCode('a `b` c `d`\n```\ne\n```', marked, capitals)).toBe('A <`b`> C <`d`>\n<```\ne\n```>')
    expect(mapCode('a b', marked, capitals)).toBe('A B')
  })

  it('finds as many parts as a megabyte of one paragraph has', () => {
    expect(codeSpans('`a` '.repeat(250_000))).toHaveLength(250_000)
  })

  it('finds parts in order that do not overlap, and a text is made of them and the others', () => {
    const piece = fc.constantFrom('`', '``', '```', '~~~', '\n', '\n\n', ' ', 'a', '- ', '[1]')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('')
        let last = 0
        for (const { from, to } of codeSpans(text)) {
          expect(from).toBeGreaterThanOrEqual(last)
          expect(to).toBeGreaterThan(from)
          last = to
        }
        expect(last).toBeLessThanOrEqual(text.length)
        const same = (part: string): string => part
        expect(mapCode(text, same, same)).toBe(text)
      }),
    )
  })

  it.each(['`', '` ``', '```\n', '\n', '~~~\n```\n', '- ', '`'.repeat(7) + ' '])(
    'takes time in proportion to a text of %j',
    async (unit) => {
      expect(await growth(codeSpans, unit, 200_000)).toBeLessThan(PROPORTION)
    },
  )
})
