import { array, assert, constantFrom, pre, property, tuple } from 'fast-check'
import MarkdownIt, { type Token } from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { markdownBlocks } from '../../../src/adapters/markdown/blocks.ts'
import { examples } from '../../properties.ts'

const textsOf = (text: string): string[] =>
  markdownBlocks(text).blocks.map((block) => (block.kind === 'text' ? block.text : `${block.depth}: ${block.title}`))

describe('markdownBlocks', () => {
  it.each([
    ['- a\n\n- b\n* c', ['- a\n\n- b', '* c']],
    ['- a\nlazy\n\n  still\n\nout', ['- a\nlazy\n\n  still', 'out']],
    ['> a\nlazy\n\n> b', ['> a\nlazy', '> b']],
    ['-\n\n  out', ['-', 'out']],
    ['- ```\n  # code\n\n  ```\n- b', ['- ```\n  # code\n\n  ```\n- b']],
    ['```\n# code\n\n\n- a\n```\nout', ['```\n# code\n\n\n- a\n```', 'out']],
    ['In\n1999. a year', ['In\n1999. a year']],
    ['-\ta\n\n\tb', ['-\ta\n\n\tb']],
    ['    code\n\n    code\ntext', ['code\n\n    code', 'text']],
    ['> - a\n> b', ['> - a\n> b']],
    ['> a\n>', ['> a\n>']],
    ['a\n</b>\nc', ['a\n</b>\nc']],
  ])('knows where lists, quotes and code end: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['[a]: b\n---', []],
    ['[a]: b "t"\n[c]: <d e>\ntext', ['text']],
    ['[a]: b "t" x', ['[a]: b "t" x']],
    ['a\n===', ['1: a']],
    ['- a\n---', ['- a']],
    [
      '###### The `key` [*turns*][a] &amp; ![a lock](b.png) <br>stops ##\n\n[a]: c',
      ['6: The key turns & a lock stops'],
    ],
    ['[x][y]\n---\n> [Y]: z', ['2: x', '> [Y]: z']],
    ['a\r\nb\rc\u0000', ['a\nb\nc\u0000']],
  ])('knows definitions, rules, headings and ends of lines: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  it.each([
    ['- ', 13],
    ['> ', 27],
    ['1. ', 13],
  ])('goes down %j %i levels, and says so when there are more than it can read', (mark, levels) => {
    expect(textsOf(`${mark.repeat(levels)}a`)).toHaveLength(1)
    for (const more of [1, 2, 3, 50, 1000]) {
      expect(() => textsOf(`${mark.repeat(levels + more)}a`)).toThrow(expect.objectContaining({ code: 'too_deep' }))
    }
    const steps = Array.from({ length: 120 }, (_, at) => `${'  '.repeat(at)}- a\n`).join('')
    expect(() => textsOf(`${steps}\n# A heading`)).toThrow(expect.objectContaining({ code: 'too_deep' }))
  })

  it('turns down a document of more blocks than can be held, and reads as many items as it has', () => {
    expect(textsOf('- a\n'.repeat(200_000))).toHaveLength(1)
    expect(textsOf('a\n\n'.repeat(100_000))).toHaveLength(100_000)
    expect(() => textsOf('a\n\n'.repeat(100_001))).toThrow(expect.objectContaining({ code: 'document_too_complex' }))
  })

  // Rules of CommonMark that parsers are of two minds about.
  it.each([
    ['> a\n    - b', ['> a\n    - b']],
    ['- [a]: b\nlazy', ['- [a]: b\nlazy']],
    ['[a]: b\n<b>', ['<b>']],
    ['[a]: b\n===', ['===']],
    ['[a]:\n===\n# [a]', ['1: [a]:', '1: [a]']],
    ['# [a](b\n\n[a]: c', ['1: a(b']],
    ['# [a][ [a] z]\n\n[a]: b', ['1: a[ a z]']],
    ['# [a __*_](c)', ['1: a __*_']],
    ['-\n    - a\n\n     b', ['-\n    - a\n\n     b']],
    ['1.\ta\n\n    b\n\n   c', ['1.\ta\n\n    b', 'c']],
    ['~~~ `\n# a\n``` \n~~~~ \nb', ['~~~ `\n# a\n``` \n~~~~', 'b']],
    ['``` `\na', ['``` `\na']],
    ['<pre>\n\n# a\n</pre>\nb\n<i>\nc\n\n<i>\nd\n\ne', ['b\n<i>\nc', 'e']],
  ])('goes by the text of CommonMark where it is often missed: %j', (text, blocks) => {
    expect(textsOf(text)).toEqual(blocks)
  })

  const BLOCKS =
    '* ** *** _ __ ` `` [ ] ( ) < > ! \\ \\* " \' 1 . ; a b foo = === --- # ## -- - + 1. 2) 10. >> ``` ~~~ ~~~~ ![ ]( ](b) ' +
    '](<c> "t") [a] [b] <!-- --> <?x ?> <![CDATA[ ]]> <div> </div> <b> </b> <pre> </pre> <a href="x"> <br/> <http://x.y/z> ' +
    '<m@a.b> &amp; &#38; &nosuch; &rarr; « € 😀 。 é a* *a _a a_'
  const BETWEEN = [
    ' ',
    '  ',
    '\n',
    '\n',
    '\n\n',
    '\t',
    ' \n',
    '\n ',
    '\n   ',
    '\n> ',
    '\n- ',
    '\n1. ',
    '\n  - ',
    '',
    '',
  ]
  const WORDS = '* ** *** _ __ a b, [ [ z] ![y z](c) [a] \\* < « 😀'

  it.each([
    ['blocks', '', BLOCKS, BETWEEN],
    ['headings', '# ', BLOCKS, BETWEEN],
    ['words', '# ', WORDS, [' ', '', '']],
  ])('finds the %s that another parser finds, for any mixture of marks', (_what, start, marks, between) => {
    const piece = tuple(constantFrom(...marks.split(' ')), constantFrom(...between)).map((both) => both.join(''))
    assert(
      property(array(piece, { maxLength: 30, size: 'max' }), (pieces) => {
        const text = `${start}${pieces.join('')}\n\n[a]: /b "c"\n[b]: <x y>\n`
        // That parser takes no label for one that an address without its end follows, or a label with brackets in it; it
        // looks for no mark around a label, and lets a link hold another in what an image is described by.
        pre(!/\]\((?![^\n]*\))|\]\[[^\]]*\[|[*_]\]|!\[(?:[*_]|[^\]]*\[)/.test(text))
        expect(textsOf(text).map(withoutSpace)).toEqual(blocksByMarkdownIt(text).map(withoutSpace))
      }),
      { numRuns: examples(2000, 100_000) },
    )
  })
})

/** Parsers keep more or less of the space within code that goes over a line. */
function withoutSpace(written: string): string {
  return written.replaceAll(/\s+/g, '')
}

const markdownIt = new MarkdownIt('commonmark')
markdownIt.normalizeLink = (url) => url
markdownIt.normalizeLinkText = (url) => url

function blocksByMarkdownIt(text: string): string[] {
  const lines = text.split('\n')
  const tokens = markdownIt.parse(text, {})
  const wordsOf = (children: readonly Token[] | null): string =>
    (children ?? [])
      .map((token) => {
        if (token.children !== null) return wordsOf(token.children)
        if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
        return token.type === 'html_inline' ? '' : token.content
      })
      .join('')
  return tokens.flatMap(({ type, level, map, tag }, at) => {
    if (level > 0 || map === null || ['hr', 'html_block', 'reference_definition'].includes(type)) return []
    if (type === 'heading_open') return [`${tag.slice(1)}: ${wordsOf(tokens[at + 1]?.children ?? null)}`]
    return [
      lines
        .slice(...map)
        .join('\n')
        .trim(),
    ].filter((written) => written !== '')
  })
}
