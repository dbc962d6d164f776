import { describe, expect, it } from 'vitest'
import { splitFrontMatter } from '../../../packages/ingest/src/mdx/front-matter.ts'
import { mdxToMarkdown } from '../../../packages/ingest/src/mdx/mdx-to-markdown.ts'

describe('details of MDX', () => {
  it.each([
    ['code only directly after its tag', '<Code>x{`a\nb`}', 'xa\nb'],
    ['code of one line and a line break', '<Code>{`a\n`}</Code>', 'a\n'],
    ['code after blank lines', '<Code>{`\n\na\nb`}</Code>', '\n\n```\na\nb\n```\n\n'],
    ['an element directly after a word', 'a{b && <i>c</i>}{d && <i>e</i>}', 'ace'],
    ['elements after each other', '{a ? <i>b</i> : <i>c</i>}', 'b c'],
    ['elements after a space', '{a ? <i>b </i> : <i>c</i>}', 'b c'],
    ['white space before the first line of content', '<A>\n      \n  x\n    y\n</A>', '\n      \nx\n  y\n'],
    ['inline code that a longer run does not end', '`{a}`` b', '``` b'],
    ['inline code of the longest', `\`{${'a'.repeat(3997)}}\``, `\`{${'a'.repeat(3997)}}\``],
    ['no longer inline code', `\`{${'a'.repeat(3998)}}\``, '``'],
    ['fragments on lines', '<>\n    x\n</>', '\nx\n'],
    ['tags next to closing tags', '<A>a</A><B/>b<C><D>c</D></C>d', 'abcd'],
    ['titles right after a word', 'a<B title="c"/>, d  <B title="e"/>', 'a c , d   e '],
    ['titles after a line', 'a\n<B title="c"/>d', 'a\n\n\n**c**\n\nd'],
    ['a program before a line of spaces', 'import a from "b"\n  \nc', '  \nc'],
    ['brackets in strings', 'export const a = \'(x\' + "[y" + `{z`\n\nb', '\nb'],
    ['programs with a bracket in single quotes', "export const a = '(x' +\n  'y'\n\nb", '\nb'],
    ['programs with a bracket in double quotes', 'export const a = "[x" +\n  "y"\n\nb', '\nb'],
    ['programs with a bracket in a template', 'export const a = `{x` +\n  `y`\n\nb', '\nb'],
    [
      'a list that is part of another value',
      '<A text={["b"].join()}/><A text={f(["c"])}/><A text={ ["d"] }/>',
      '\nd\n',
    ],
    ['attributes of others', '<Box value="a" name="b" type="c" /><Files name="d"/><Tabular value="e"/>', ''],
    ['elements in strings', '{f("a && <b>c</b>") + \'? <b>d</b>\' + `: <b>e</b>` && <i>g</i>}', 'g'],
    ['elements in comments', '{a /* && <b>c</b> */ && <i>d</i>}', 'd'],
    ['expressions within elements', '{a && <p>{b && "</p>"} c {"}"}</p>}', '\n\n</p> c }\n\n'],
    ['comparisons within elements', '{a && <i>1 < 2 <b>c</b></i>}d', '1 < 2 cd'],
    ['nothing without an element', '{a && <1}b', 'b'],
    ['a choice of one text', "{a ? 'b' : ''}{c ? '' : 'd'}", 'bd'],
    ['a choice after a long text', `{a ? '${'b'.repeat(30)}' : 'c'}`, `${'b'.repeat(30)} / c`],
    ['members of several lines', '{["a\\n\\n b"].map(c)}', '\n\n- a b\n\n'],
    ['an empty title', '<A title="" text="b"/>', '\nb\n'],
    ['a title with spaces', '<A title=" a\n b "/>', '\n**a b**\n'],
    ['a title with code', '<A title={<b>a {bcd}</b>}/><B title={a < b}/>', '\n\n**a**\n\n'],
    ['a title with space before it', '<A title={ <b>a</b> }/>', '\n**a**\n'],
    ['quotes that are no values', '<A b "c" label="d"/>', '\n**d**\n'],
    ['underscores in numbers', '{1_000}{-2.5}', '1000-2.5'],
    ['a quote that is escaped', "{\\'}a'}b", "a'}b"],
    ['a quote that is not closed', "{it's}\n'a'", "\n'a'"],
    ['several lines in a comment', '{/*\n}\n*/}a', 'a'],
    ['a comment beside code', '{a /* } */}b', 'b'],
  ])('reads %s', (_, mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ['hidden elements', 'a <span hidden>b</span>c <i hidden={ true }>d</i>', 'a c '],
    ['one of several styles', "a <i style={{ color: 'red', display: 'none' }}>b</i>c", 'a c'],
    ['style sheets within a word', 'a<style>b</style>c', 'ac'],
    ['titles of drawings', '<div><svg><title>b</title><path d="c"/></svg>a</div>', '\n\na\n\n'],
    ['navigation is kept', '<nav>a</nav>', '\n\na\n\n'],
    ['single elements', '<div><blockquote/>a</div>', '\n\na\n\n'],
    ['what follows a single element', '<blockquote/>\na\n\n    b', '\na\n\n    b'],
    ['a closing tag in code', '<div>\n    a `</div>`', '\n\na `</div>`\n\n'],
    ['lines in headings', '<h2>a\n\n  b</h2>', '\n\n## a b\n\n'],
    ['rows in elements', '<div>\n| a | <p>b</p> |\n|---|---|\n</div>', '\n\n| a |  b  |\n|---|---|\n\n'],
    ['bars in cells', '<table><tr><td>| a</td><td>b</td></tr></table>', '\n\n| \\| a | b |\n| - | - |\n\n'],
    ['a list before a block in a cell', '<table><tr><td>\n- a\n\n<p>b</p></td></tr></table>', '\n\n- a\n\nb\n\n'],
    [
      'a word per line in a cell',
      '<table><tr><td>a\n\tb</td><td>c</td></tr></table>',
      '\n\n| a b | c |\n| - | - |\n\n',
    ],
  ])('reads HTML with %s', (_, mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ["{ description: 'x' + (a ? 'b' : 'c') }", '- x'],
    ["{ description: 'a' /* c */ + 'b' }", '- ab'],
    ["[{ description: 'a' }, 'b', { x: 'c' }]", '- a'],
    ["a ? title : 'b', c", ''],
    ["{ rate: { description: 'a', type: 'b' }, 'c-d': { type: 'e' } }", '- `rate` `b`: a\n- `c-d` `e`'],
    ["{ x: [{ type: 'a', text: 'b' }], y: { name: 'c', type: 'd' } }", '- `a`: b\n- `c` `d`'],
  ])('lists the texts of %j', (objects, list) => {
    expect(mdxToMarkdown(`<A b={${objects}}>c</A>`)).toBe(list === '' ? 'c' : `\n\n${list}\n\nc`)
  })
})

describe('details of front matter', () => {
  it('reads as much as metadata may hold', () => {
    const block = (length: number): string => `a: ${'b'.repeat(length - 3)}`
    expect(splitFrontMatter(`---\n${block(32_000)}\n---\nc`)).toEqual({ body: 'c', fields: { a: 'b'.repeat(31_997) } })
    expect(splitFrontMatter(`---\n${block(32_001)}\n---\nc`)).toMatchObject({
      body: 'c',
      fields: {},
      fault: expect.stringContaining('too long') as string,
    })
    const late = `---\n${'b '.repeat(16_001)}\na: b\n---\nc`
    expect(splitFrontMatter(late)).toEqual({ body: late, fields: {} })
  })

  it.each([
    ['+++\ntitle = "a\\q"\n+++\nb', {}],
    ['+++\na = 1\n+++\nb', {}],
  ])('reads no title in %j', (text, fields) => {
    expect(splitFrontMatter(text)).toMatchObject({ body: 'b', fields })
  })
})
