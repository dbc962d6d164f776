import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeSpans, mapCode } from '../../../src/core/text/code-spans.ts'
import { growth, PROPORTION } from '../../growth.ts'

const codeOf = (text: string): string[] => codeSpans(text).map(({ from, to }) => text.slice(from, to))

describe('codeSpans', () => {
  it.each([
    ['between backticks', 'a `b` c ``d ` e`` f', ['`b`', '``d ` e``']],
    ['across the end of a line', 'a `b\nc` d', ['`b\nc`']],
    ['but not across a blank line', 'a `b\n\nc` d', []],
    ['but not between different numbers of backticks', 'a `b`` c', []],
    ['between fences', 'a\n```js\nb `c\n```\nd', ['```js\nb `c\n```']],
    ['between fences of tildes', '~~~\n```\n~~~\n`a`', ['~~~\n```\n~~~', '`a`']],
    ['in a list item', '- ```\n  a\n  ```\n- b', ['- ```\n  a\n  ```']],
    ['to the end of the text, when the fence is not closed', 'a\n````\nb\n```\nc', ['````\nb\n```\nc']],
    ['closed by a longer fence', '```\na\n`````\n`b`', ['```\na\n`````', '`b`']],
    ['inline between three backticks', '```a``` b', ['```a```']],
    ['after an empty first line', '\n~~~\na\n~~~', ['~~~\na\n~~~']],
    ['containing the opening of another fence', '```\na\n```js\nb\n```\nc', ['```\na\n```js\nb\n```']],
    ['in the lines before a fence', '`a`\n```\nb\n```', ['`a`', '```\nb\n```']],
    ['in every paragraph', '`a`\n\n`b`\n  \n`c`', ['`a`', '`b`', '`c`']],
    ['but not across a line of spaces', 'a `b\n  \nc` d', []],
    ['in a quotation', '> ```\n> a\n> ```\n> b `c`', ['> ```\n> a\n> ```', '`c`']],
    ['but not from a backtick after a backslash; one ends it', 'a \\`b c `d\\` e', ['`d\\`']],
    ['nowhere', 'a b', []],
  ])('finds code %s', (_, text, code) => {
    expect(codeOf(text)).toEqual(code)
  })

  it('maps code and the text between it with separate functions', () => {
    const marked = (part: string): string => `<${part}>`
    const capitals = (part: string): string => part.toUpperCase()
    expect(mapCode('a `b` c `d`\n```\ne\n```', marked, capitals)).toBe('A <`b`> C <`d`>\n<```\ne\n```>')
    expect(mapCode('a b', marked, capitals)).toBe('A B')
  })

  it('finds all spans in a paragraph of a megabyte', () => {
    expect(codeSpans('`a` '.repeat(250_000))).toHaveLength(250_000)
  })

  it('finds ordered spans that do not overlap, and that make up the text with the rest', () => {
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
    'takes linear time for a text of %j',
    async (unit) => {
      expect(await growth(codeSpans, unit, 200_000)).toBeLessThan(PROPORTION)
    },
  )
})
