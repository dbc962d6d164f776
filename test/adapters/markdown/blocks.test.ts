import * as fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { markdownBlocks } from '../../../src/adapters/markdown/blocks.ts'

type Row = readonly [kind: string, text: string, depth: number]

const blocksOf = (text: string): Row[] =>
  markdownBlocks(text).blocks.map(({ kind, from, to, depth }) => [kind, text.slice(from, to).trim(), depth])

/** The same by the parser of the unified project. */
const KINDS: Record<string, string> = { heading: 'heading', thematicBreak: 'rule', html: 'html' }
const parsed = (text: string): Row[] =>
  fromMarkdown(text)
    .children.filter(({ type }) => type !== 'definition')
    .map((node): Row => {
      const source = text.slice(node.position!.start.offset, node.position!.end.offset).trim()
      return [KINDS[node.type] ?? 'text', source, node.type === 'heading' ? node.depth : 0]
    })
    .filter(([, source]) => source !== '')

/** That parser counts definitions above an underlined heading to its source. */
const lastWords = (rows: readonly Row[]): Row[] =>
  rows.map(([kind, text, depth]) => [kind, kind === 'heading' ? text.split(/\s+/).slice(-2).join(' ') : text, depth])

/**
 * Where that parser departs from CommonMark: an empty item or quote takes a line that follows as its paragraph, HTML
 * interrupts a paragraph from outside of its item, and `]]]>` does not end CDATA.
 */
const DISPUTED = /(?:[-*+>]|\d[.)])[ \t]*(?:[\r\n]|$)|<\/b>|<b>|]]]>|<\/pre>/m

const PIECES = [
  'a',
  'b c',
  '\n',
  '\n',
  '\n\n',
  '\r\n',
  ' ',
  '  ',
  '    ',
  '\t',
  '- ',
  '-',
  '* ',
  '+ ',
  '1. ',
  '2. ',
  '1) ',
  '10. ',
  '> ',
  '>',
  '# ',
  '#',
  '## ',
  '```',
  '~~~',
  '```\n',
  '<!-- ',
  '-->',
  '<div>',
  '</div>',
  '<pre>',
  '<?',
  '?>',
  '<!D',
  '---',
  '***',
  '- - -',
  '===',
  '=',
  '[a]: b',
  '[a]: b\n',
  '[b]:\nc',
  ' "t"',
  " 't'",
  '`',
  '[x]',
  '<![CDATA[',
  ']]>',
]

describe('markdownBlocks', () => {
  it('finds what the CommonMark parser of the unified project finds', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }), (pieces) => {
        const text = pieces.join('')
        fc.pre(!DISPUTED.test(text))
        expect(lastWords(blocksOf(text))).toEqual(lastWords(parsed(text)))
      }),
      { numRuns: 3000 },
    )
  })

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
    expect(blocksOf(text).map(([, source]) => source)).toEqual(blocks)
  })

  it.each([
    ['[a]: b\n---', [['rule', '---', 0]]],
    ['[a]: b "t"\n[c]: <d e>\ntext', [['text', 'text', 0]]],
    ['[a]: b "t" x', [['text', '[a]: b "t" x', 0]]],
    ['a\n===', [['heading', 'a\n===', 1]]],
    [
      '- a\n---',
      [
        ['text', '- a', 0],
        ['rule', '---', 0],
      ],
    ],
  ])('knows definitions, rules and headings: %j', (text, rows) => {
    expect(blocksOf(text)).toEqual(rows)
  })

  it('collects the names of links', () => {
    expect([...markdownBlocks('[One  Two]: x\n\n> [in a quote]: y').labels]).toEqual(['ONE TWO'])
  })

  it('goes down 100 levels of lists and quotes', () => {
    for (const mark of ['- ', '> ', '1. ']) {
      expect(blocksOf(`${mark.repeat(100)}a`)).toHaveLength(1)
      expect(() => blocksOf(`${mark.repeat(101)}a`)).toThrow(expect.objectContaining({ code: 'too_deep' }))
    }
    const steps = Array.from({ length: 101 }, (_, at) => `${'  '.repeat(at)}- a\n`).join('')
    expect(() => blocksOf(steps)).toThrow(expect.objectContaining({ code: 'too_deep' }))
  })
})
