import { describe, expect, it } from 'vitest'
import { growth, PROPORTION } from '../../growth.ts'
import { mdxToMarkdown } from '../../../packages/ingest/src/mdx/mdx-to-markdown.ts'

const lines = (...all: string[]): string => all.join('\n')

describe('mdxToMarkdown', () => {
  it.each([
    ['imports', "import { Card } from 'x'\nimport y, { Z } from \"y\"\nimport './style.css'\n\nText.", '\nText.'],
    [
      'exports, with blank lines and brackets inside',
      "export const meta = {\n  a: 1,\n\n  b: '}',\n}\n\nText.",
      '\nText.',
    ],
    ['comments', 'One{/* two\n\nthree } */} four.', 'One four.'],
    ['expressions', 'Up to {limits.max} rows, {`a`}{" "}b, {4 * 2}{`${a}`}{"a" + "b"}.', 'Up to  rows, a b, .'],
    [
      'the braces around literals',
      String.raw`{'$'}5 to {"$6"}, {` + '`$7`' + String.raw`}, { 42 }, {-1_000.5}, {'It\'s'}, {"a\nb \"c\" 'd'"}.`,
      `$5 to $6, $7, 42, -1000.5, It's, a b "c" 'd'.`,
    ],
    [
      'expressions beside amounts',
      'From ${a}-${b} or ${c} to $5, {d}$6 and $7{e}$8.',
      'From $-$ or $ to $5, $6 and $7$8.',
    ],
    ['self-closing components in a sentence', 'Press <Icon name="key"/> now.', 'Press  now.'],
    ['elements in a sentence', 'A <b>bold</b> w<em>or</em>d and <a href="/x">link</a>.', 'A bold word and link.'],
    ['fragments', '<>Text.</>', 'Text.'],
  ])('removes %s', (_, mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ['prose that begins with such a word', 'import your data first, export it later.'],
    ['lines of prose that look like imports', 'You can\nimport data from files, or\nimport data, models and {.'],
    ['inline code', 'Write `<Card title="x">` or ``a ` {b}``.'],
    ['escapes', String.raw`Write \{this\} or \<that>.`],
    ['maths', 'Sum $x_{1}$ and $\\frac{a}{b}$ to\n$$\n\\sum_{i<n} {x_i}\n\nc\n$$\nthe end, \\$5 {.'],
    ['comparisons and addresses', '1 < 2, a<b, and <https://example.com/a>, <me@example.com>.'],
    ['what is never closed', "Don't {open <Card title="],
    ['code', lines('```jsx', "import x from 'y'", '<Card>{x}</Card>', '```', 'Text.')],
    ['longer fences', lines('~~~~md', '~~~', '<Card>', '~~~~', 'Text.')],
    ['Markdown', lines('# Title', '', '- one', '  - two', '', '| a | b |', '|---|---|', '| 1 | 2 |', '', '> quote')],
  ])('keeps %s unchanged', (_, mdx) => {
    expect(mdxToMarkdown(mdx)).toBe(mdx)
  })

  it('keeps the content of components with their titles, as text and not as code', () => {
    const mdx = lines(
      '<Tabs>',
      '    <Tab title="npm">',
      '        Run this:',
      '',
      '        ```bash',
      '        # install',
      '        if x; then',
      '          npm i <Foo> {x}',
      '        ```',
      '',
      '        - one',
      '          - two',
      '    </Tab>',
      "    <Tab title={'yarn'}>Other.</Tab>",
      '</Tabs>',
      '',
      '<Card',
      '  title="Go on"',
      '  icon={<Foo a="}" />}',
      '>',
      '  Read [more](/x).',
      '</Card>',
      '',
      'After.',
    )
    expect(
      mdxToMarkdown(mdx)
        .replaceAll(/\n{2,}/g, '\n\n')
        .trim(),
    ).toBe(
      lines(
        '**npm**',
        '',
        'Run this:',
        '',
        '```bash',
        '# install',
        'if x; then',
        '  npm i <Foo> {x}',
        '```',
        '',
        '- one',
        '  - two',
        '',
        '**yarn**',
        '',
        'Other.',
        '',
        '**Go on**',
        '',
        'Read [more](/x).',
        '',
        'After.',
      ),
    )
  })

  it('keeps the names of parameters', () => {
    const mdx = lines(
      '<ParamField body="key" type="string" required>',
      '  The key to get.',
      '</ParamField>',
      '<Input name="x"/>',
    )
    expect(mdxToMarkdown(mdx).trim()).toBe('**key** (string, required)\n\nThe key to get.')
  })

  it('lists the texts of objects in attributes, as of a table of parameters', () => {
    const mdx = lines(
      '### Parameters',
      '<PropertiesTable',
      '  content={[',
      '    {',
      "      name: 'model', isRequired: true, type: 'Array<A | B>',",
      '      description:',
      "        'The model, e.g. openai(\\'x\\'). ' +",
      '        "It\'s {needed}.",',
      '      properties: [{ type: `Settings`, parameters: [',
      '        // { name: "old", description: "Gone." },',
      '        { \'name\': "size", description: `Up to ${max}',
      "          words.`, href: '/x' }, /* { name: 'no' } */ { name: '', description: <b className=\"c\">Not read</b> },",
      '      ] }],',
      '    },',
      "    { title: 'Other', description: 'More.' },",
      '  ]}',
      '/>',
      'End.',
    )
    expect(mdxToMarkdown(mdx)).toBe(
      lines(
        '### Parameters',
        '',
        "- `model` `Array<A | B>`: The model, e.g. openai('x'). It's {needed}.",
        '  - `Settings`',
        '    - `size`: Up to words.',
        '- **Other**: More.',
        '',
        'End.',
      ),
    )
    expect(mdxToMarkdown("<Chart data={[{ name: 'a', value: 1 }]} style={{ type: 'bar' }} />")).toBe('')
    const long = Array.from({ length: 500 }, (_, at) => `{ name: 'p${at}', description: 'What it does.' },`).join('\n')
    expect(mdxToMarkdown(`a < b\n\n<Table rows={[\n${long}\n]} />\n`)).toContain('- `p499`: What it does.\n')
  })

  it('keeps the texts of attributes', () => {
    expect(mdxToMarkdown('<Snippet text="npm i ai" dark />\n').trim()).toBe('npm i ai')
    expect(mdxToMarkdown("<Card title=\"Go\" description={'Read on.'} href='/x' />").trim()).toBe('**Go**\n\nRead on.')
    expect(mdxToMarkdown('<meta name="description" content="no" />').trim()).toBe('')
  })

  it.each([
    ['a ` {x}\n\nb ` {y}', 'a ` \n\nb ` '],
    ['`a`` {b}` {c}', '`a`` {b}` '],
    ['``a` {b}`` {c}', '``a` {b}`` '],
    ['```\n{a}\n``\n{b}\n```` \n{c}', '```\n{a}\n``\n{b}\n```` \n'],
    ['```\n```\n{b}', '```\n```\n'],
    ['```', '```'],
    ['a\\{b}{c}\\', 'a\\{b}\\'],
    ['a\r\n{b}\r\nc', 'a\n\nc'],
  ])('finds where code ends: %j', (mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ['import type { A } from "b"\nimport c, * as d from "e"\nimport f from\n"g"\n\nh', '\nh'],
    ['export const a = "(";\n\nb', '\nb'],
    ["export const a = '[' + `{` + '('\n\nb", '\nb'],
    ['export const a = {\n  b: [\n\n  1],\n}\nc\n\nd', '\nd'],
    ['export const a = (\n\nb\n\nc', '\nb\n\nc'],
    ['export const a = 1)\n\nb', '\nb'],
    ['{`a}`} b', 'a} b'],
    ['{"}"} b {\'}\'}', '} b }'],
    ["{it's } b\n{'x'}", ' b\nx'],
    ['{/* } */ "a"} b', ' b'],
    ['{/* } b', '{/* } b'],
    ['{`a\n${b}`} c {{a: {}}}', 'a\n  c '],
  ])('finds where programs end: %j', (mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ['<A>\n  <B>\n    x\n</A>\n    y', '\n\n  x\n\n    y'],
    ['<A>\n    x', '\n    x'],
    ['</A>\n    x', '\n    x'],
    ['<A>\n\n    x\n      y\n  </A>\n    z', '\n\nx\n  y\n\n    z'],
    ['<A>\n  </B>\n    x\n    </A>', '\n\nx\n'],
    ['<br>\n    x</br>', '\n    x '],
    ['<A>x\n    y</A>', 'x\n    y'],
    ['<b>\n    x</b>', '\n    x'],
  ])('removes the indentation within components: %j', (mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ['<A title = "b\n   c" />', '\n**b c**\n'],
    ['<A a="b>c" title="d">e</A>', '\n\n**d**\n\ne'],
    ['<A a={"}>"} title="d">e</A>', '\n\n**d**\n\ne'],
    ['<A b/c/>d', 'd'],
    ['<A {...{text: "x"}} />y', '\n\n- x\n\ny'],
    ['<a-B text="x"/>y', ' y'],
    ['<A text="x" content={y} description={"z"}/>', '\nx\n\nz\n'],
    ['<A a="b <C/>d', '<A a="b d'],
    ['<A <b>c</b>', '<A c'],
    ['<A>a</A><b>c</b> d<C/>e', 'ac de'],
    ['<img alt="a\n  b">', 'a b'],
  ])('reads the tags %j', (mdx, markdown) => {
    expect(mdxToMarkdown(mdx)).toBe(markdown)
  })

  it.each([
    ["{ name: 'a`b', description: 'c' }", '- **a`b**: c'],
    ["[{ title: 'a' }, { description: 'b' }]", '- **a**\n- b'],
    ["{ description: 'a', text: ' b ' }", '- a b'],
    ["{ name: 'a', x: 1, description: f('b') }", ''],
    ["{ description: ['a', 'b'] }", ''],
    ["{ a: { description: 'x' }, description: 'y' }", '- y\n- x'],
    ["{ description: 'a\\r\\nb' + ' c\\\nd' }", '- a b c d'],
    ["['a', { description: `b ${c} d` }]", '- b d'],
    ["{ x: { y: { name: 'z', description: 'w' } } }", '- `z`: w'],
    ["{ name: '', description: 'a' }", '- a'],
    ["{ name: 'a', description: ' ' }", ''],
  ])('lists the texts of %j', (objects, list) => {
    expect(mdxToMarkdown(`<A b={${objects}}>c</A>`)).toBe(list === '' ? 'c' : `\n\n${list}\n\nc`)
  })

  it('keeps what describes a picture', () => {
    expect(mdxToMarkdown('Press <img src={key} alt="the\nred key" /> or <Image alt={"a $1 coin"} src="x"/>.')).toBe(
      'Press the red key or a $1 coin.',
    )
    expect(
      mdxToMarkdown('<Frame caption="One">\n  <img alt="" src="x" />\n  <img src="x" alt=\'Two\' />\n</Frame>'),
    ).toBe('\n**One**\n\n\nTwo\n')
  })

  it('separates the words of neighbouring cells and components', () => {
    expect(mdxToMarkdown('<Key>Ctrl</Key><Key>C</Key>, a <Tip>word</Tip>s.')).toBe('Ctrl C, a words.')
    expect(mdxToMarkdown('a <input/>b <source>c<wbr/>d')).toBe('a  b  c d')
  })

  it.each([
    ['a long comment', `a{/* ${'x'.repeat(5000)} } */}b`, 'ab'],
    ['a comment that code follows', '{/* a */ b} c', 'c'],
    ['a template that inserts', '{`a ${b} c`}', 'a   c'],
    ['a code block as a string', '<CodeBlock>{`# a\n${b}b\n`}</CodeBlock> c', '\n\n```\n# a\n b\n```\n\n c'],
    ['fences within code', '<Code>{"\n````\na\n````\n"}</Code>', '\n\n`````\n````\na\n````\n`````\n\n'],
    ['a line of code', '<Code>{`a b`}</Code>', 'a b'],
    ['text of several lines', '<Trans>{`a\nb`}</Trans>, <Code>x</Code>{`a\nb`}', 'a\nb, xa\nb'],
    ['inline code of three backticks', '```a``` {b}c', '```a``` c'],
    ['code in an item', '- ```\n  {a}\n\n  <B>\n  ```\n1. {c}~~~', '- ```\n  {a}\n\n  <B>\n  ```\n1. ~~~'],
    ['code in a quote', '> ~~~~\n> {a}\n> ~~~\n> ~~~~\n{b}c', '> ~~~~\n> {a}\n> ~~~\n> ~~~~\nc'],
    ['an admonition', ':::note\na\n:::\nb', '\n**Note**\n\na\n\nb'],
    [
      'titles of admonitions',
      ':::tip[A `b`]\n::: details C {open}\n::::warning\n',
      '\n**A `b`**\n\n\n**C**\n\n\n**Warning**\n\n',
    ],
    ['an admonition in a component', '<A>\n  :::note B {#c}\n  d\n  :::\n</A>', '\n\n**B**\n\nd\n\n'],
    ['colons in a line', 'a :::b\n:::: 1', 'a :::b\n:::: 1'],
    ['the end of an admonition', 'a\n:::', 'a\n\n'],
    ['the label of a tab, or else its value', '<TabItem value="a" label="b"/><Tabs.TabItem value="c"/>', '**b** **c**'],
    ['a title with elements', '<A title={<>a <b>c{d}</b></>} b={1}/>', '**a c**'],
    ['questions', '<Faq answer="b" question="a" />', '**a** b'],
    ['titles of HTML', '<iframe title="a" src="b"></iframe><div title="c">d</div>', 'd'],
    [
      'texts in a sentence',
      'a <B text="c" /> d\n## <B title="e"/>\n| <B title="f" text="g"/> |',
      'a  c  d\n##  e \n|  f: g  |',
    ],
    ['texts after a tag', '<A>a</A><B title="c"/>d', 'a **c** d'],
  ])('reads %s', (_, mdx, markdown) => {
    const read = mdxToMarkdown(mdx)
    expect(markdown.includes('\n') ? read : read.replaceAll(/\n+/g, ' ').trim()).toBe(markdown)
  })

  // A megabyte of each took from ten seconds to minutes when it was looked at anew from every mark.
  it.each([
    ['braces', '{'],
    ['tags', '<a '],
    ['quotes in tags', '<a b="'],
    ['ticks', '` '],
    ['ticks without spaces', '`a'],
    ['runs of ticks', '`a``b```c'],
    ['elements', '<X>'],
    ['elements on lines', '<div>\n'],
    ['comments that do not end', '{/*'],
    ['programs that do not end', 'export const a = {\n\n'],
    ['maths', '$a {b} '],
    ['maths that does not end', '$$ {a} $ '],
    ['tags that end what nothing began', '<a-b>\nx\n</p>\n'],
    ['strings that do not end in braces', '{\\`}'],
    ['tags over braces that are none', '\\{<A }'],
    ['escaped quotes in braces', '{"\\"\\"\\"\n}'],
    ['elements in expressions', '{a && <p>b</p>}'],
    ['elements in expressions that do not end', '{a && <p>{b && <p>'],
    ['elements in elements', '<ul><li>'],
    ['items', '<ul><li>a</li></ul>'],
    ['hidden elements', '<b style={{ display: "none" }}>a</b>'],
    ['lists in expressions', '{["a", "b"].map((c) => <p>d</p>)}'],
    ['chosen strings', '{a ? "b" : "c"}'],
    ['a tag with objects', '<A b={[{ name: "a", description: "b" }]}'],
    ['escaped quotes in one line', '\\"', '{<'],
    ['beginnings of comments in strings', '"/*" ', '{a.map('],
    ['brackets in a string', "\\'[", "{a.map('"],
    ['tabs', '<Tab>a</Tab>', `<Tabs items={[${'"a",'.repeat(500)}]}>\n`],
    ['objects in tags that do not end', '<A b={{ c: "d" }} <'],
  ])('takes linear time for %s', async (_, piece, before = '') => {
    const read = (text: string): void => {
      expect(mdxToMarkdown(`${before}${text}')}</a-b>\n</div>\n`).length).toBeLessThanOrEqual(
        2 * text.length + 20 + before.length,
      )
    }
    expect(await growth(read, piece, 48_000)).toBeLessThan(PROPORTION)
  })

  it('takes linear time for components with many names', async () => {
    const read = (text: string): void => {
      let names = 0
      expect(mdxToMarkdown(text.replaceAll('X', () => `A${names++}`)).trim().length).toBeLessThan(2)
    }
    expect(await growth(read, '<X>\n', 48_000)).toBeLessThan(PROPORTION)
  })
})
