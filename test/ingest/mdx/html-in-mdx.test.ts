import { describe, expect, it } from 'vitest'
import { mdxToMarkdown } from '../../../packages/ingest/src/mdx/mdx-to-markdown.ts'

const lines = (...all: string[]): string => all.join('\n')
const read = (mdx: string): string =>
  mdxToMarkdown(mdx)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()

describe('HTML in MDX', () => {
  it.each([
    ['blocks', '<div><p>a</p><ul><li>b</li><li>c <b>d</b> e</li></ul></div>', 'a\n\n- b\n- c d e'],
    [
      'details with Markdown',
      '<details>\n  <summary>Why?</summary>\n\n  **a**\n\n  ```js\n  {b} <p>\n  ```\n\n  - c\n    - d\n</details>\ne',
      'Why?\n\n**a**\n\n```js\n{b} <p>\n```\n\n- c\n  - d\n\ne',
    ],
    [
      'a table',
      '<table>\n  <tr><th>a</th><th>b</th></tr>\n  <tr>\n    <td>`c|d \\|`</td>\n    <td>\n      e\n      f\n    </td>\n  </tr>\n</table>',
      '| a | b |\n| - | - |\n| `c\\|d \\|` | e f |',
    ],
    [
      'nothing within a row of a Markdown table',
      '| a | b |\n|---|---|\n| c | <ul><li>d</li><li>e</li></ul> |\n\n<p>f</p>',
      '| a | b |\n|---|---|\n| c |   d  e   |\n\nf',
    ],
    ['a cell of several blocks', '<table><tr><td>a</td><td>\n- b\n- c\n</td></tr></table>', 'a\n\n- b\n- c'],
    ['spans', '<table><tr><td colSpan={2}>a</td><td>b</td></tr></table>', '| a |  | b |\n| - | - | - |'],
    ['numbered items', '<ol start={3}>\n<li>a</li>\n<li>b\n<ul><li>c</li></ul>\n</li>\n</ol>', '3. a\n4. b\n   - c'],
    ['items from the last', '<ol reversed start="2"><li>a</li><li>b</li></ol>', '2. a\n1. b'],
    [
      'blocks in an item',
      '<ul>\n  <li>a\n\n    b\n\n    ```js\n      c\n    ```\n  </li>\n  <li><Note>d</Note></li>\n</ul>',
      '- a\n\n  b\n\n  ```js\n    c\n  ```\n- d',
    ],
    ['headings', '<h2 id="a">b\nc</h2>d<div><h3>e <code>f</code></h3></div>', '## b c\n\nd\n\n### e f'],
    ['terms', '<dl><dt>a</dt><dd>b</dd></dl>', 'a\n: b'],
    ['quotes', '<blockquote>a\n\nb</blockquote>', '> a\n>\n> b'],
    ['lines', '<p>a<br/>b<br>c<hr />d</p> e<br/>f', 'a\nb\nc\n\nd\n\n e f'],
    ['code', '<pre><code className="language-js">{`# a\n  b`}</code></pre>', '```js\n# a\n  b\n```'],
    ['code as text', '<pre>\n  a\n  &lt;b\n</pre>', '```\na\n<b\n```'],
    ['tags within components', '<Card title="a">\n  <p>b</p>\n  <Icon/><p>c</p>\n</Card>', '**a**\n\nb\n\nc'],
    ['Markdown headings within', '<div>\n\n## a\n\nb\n\n</div>', '## a\n\nb'],
    ['pictures', '<p align="center">\n  <img src={a} alt="b" />\n</p>', 'b'],
    ['private-use characters', '<p>a\ue0000\ue001b</p>', 'a0b'],
    ['elements that are never closed', '<div>a\n    b', 'a\n    b'],
    ['an inner element that is never closed', '<div><p>a <ul><li>b</li></ul></div> c', 'a\n\n- b\n\n c'],
    ['what closes nothing', '<div>a</p>b</div></div>c', 'a b\n\n c'],
    ['an element that ends after its section', 'a <p>b', 'a  b'],
  ])('keeps the structure of %s', (_, mdx, markdown) => {
    expect(read(mdx)).toBe(markdown)
  })

  it.each([
    ['what a style hides', "a <span style={{ display: 'none' }}>b</span>c <i style={{ fontSize: 0 }}>d</i>", 'a c'],
    ['what CSS hides', 'a <span style="visibility: hidden">b</span>c', 'a c'],
    ['what is hidden', 'a <p hidden>b</p><p hidden={true}>c</p><p hidden="">d</p>', 'a'],
    ['style sheets', '<style>{`\n.a { b: c }\n`}</style><style jsx>{".a{}"}</style>d', 'd'],
    ['drawings', 'a <svg><title>b</title><g><path d="c"/></g></svg>', 'a'],
    ['dialogs', '<dialog>a</dialog><dialog open>b</dialog>', 'b'],
    ['readings of characters', '<ruby>漢<rp>(</rp><rt>kan</rt></ruby>字', '漢字'],
  ])('leaves out %s', (_, mdx, markdown) => {
    expect(read(mdx)).toBe(markdown)
  })

  it.each([
    ['<p hidden={a}>b</p>', 'b'],
    ["a <span style={{ color: \"red\", 'x': 'y' }}>b</span>c", 'a bc'],
    ['<li>a <b style="color: red">b</b> c<b style={d}>e</b></li>', '- a b ce'],
    ['<p data-x={open} class="hidden">a</p>', 'a'],
  ])('keeps what may be visible: %j', (mdx, markdown) => {
    expect(read(mdx)).toBe(markdown)
  })

  it('reads only so many nested elements', () => {
    const deep = `${'<div>'.repeat(5000)}a <ul><li>b</li></ul> c${'</div>'.repeat(5000)}`
    expect(read(deep).replaceAll(/\s+/g, ' ')).toBe('a b c')
  })
})

describe('elements in expressions', () => {
  it.each([
    ['a condition', '{a && <p>b</p>}', 'b'],
    ['an alternative', '{a ? <p>b</p> : <p>c</p>}', 'b\n\nc'],
    ['inline alternatives', 'a {b === "x" ? <b>c</b> : <i>d</i>} e', 'a c d e'],
    [
      'several lines',
      '{a && (\n  <div>\n    b {c} d\n    <Card title="e">f</Card>\n  </div>\n)}',
      'b  d\n\n**e**\n\nf',
    ],
    ['a fragment', '{a && <>b</>}', 'b'],
    ['a function', '<A>{(b) => { return <p>c</p> }}</A>', 'c'],
    ['an element that is single', '{a && <Card title="b" />}', '**b**'],
    ['elements without an end tag', '{a && <p>b<br>c</p>}', 'b\nc'],
    ['elements within elements', '{a && <p>b {c && <i>d</i>}</p>}', 'b d'],
    ['elements in a string', '{"<p>" + a}{f("<p>b</p>")}{/* <p>c</p> */ d}', ''],
    ['elements in a comment', '{a /* <p>b</p> */ && <p>c</p>}', 'c'],
    ['comparisons', '{a <b && <p>c</p>}{a < b}', 'c'],
    ['types', '{f<string>(a)}', ''],
    ['elements that do not end', '{a && <p>b}c', 'c'],
    ['cells of a table', '<table><tr><td>a</td>{b && <td>c</td>}</tr></table>', '| a | c |\n| - | - |'],
    ['strings of an alternative', "Run {a === 'x' ? 'dir' : `ls`} in {b ?? 'c'}{d && \"e\"}.", 'Run dir / ls in ce.'],
    ['strings that are no alternative', "{t('a')}{a['b']}{f(a ? 'b' : 'c')}{a === 'b'}{a || 'b' + c}", ''],
    ['a list without texts', '<ul>{a.map((b) => <li key={b}>{b.c}: </li>)}</ul>', ''],
    ['a list with texts', '<ul>{a.map((b) => <li>{b.c} more</li>)}</ul>', '- more'],
    ['a list of strings', '<ul>{[\'a\', "b\\nc", `d`].map((e) => <li>{e}</li>)}</ul>f', '- a\n- b c\n- d\n\nf'],
    ['a list of objects', "{[{ title: 'a', text: 'b' }].map((c) => (\n<A {...c} />))}", '- **a**: b'],
    ['a list of others', '{[a, 1].map(String)}{a.flatMap(b)}', ''],
  ])('reads %s', (_, mdx, markdown) => {
    expect(read(mdx)).toBe(markdown)
  })

  it('reads only so many nested expressions', () => {
    const nested = (depth: number): string => (depth === 0 ? 'end' : `{a && <b>${depth} ${nested(depth - 1)}</b>}`)
    expect(read(nested(4))).toBe('4 3 2 1 end')
    expect(read(nested(5))).toBe('5 4 3 2')
  })
})

describe('whole pages', () => {
  it('reads tabs, cards, steps and imports of a page', () => {
    const page = lines(
      "import Tabs from '@theme/Tabs'",
      "import TabItem from '@theme/TabItem'",
      '',
      'export const Box = ({ children }) => (',
      '  <div style={{ a: 1 }}>{children}</div>',
      ')',
      '',
      '# Install {#install}',
      '',
      '<Tabs>',
      '  <TabItem value="npm" default>',
      '',
      '```bash title="shell"',
      'npm i x',
      '```',
      '',
      '  </TabItem>',
      '</Tabs>',
      '',
      ':::note',
      '',
      'Text of note.',
      '',
      ':::',
      '',
      '<Steps>',
      '  <Step title="First">',
      '    Do <kbd>Ctrl</kbd>+<kbd>C</kbd>.',
      '  </Step>',
      '</Steps>',
      '<Box>In *box*.</Box>',
    )
    expect(
      read(page)
        .replaceAll(/[ \t]+\n/g, '\n')
        .replaceAll(/\n{3,}/g, '\n\n'),
    ).toBe(
      lines(
        '# Install',
        '',
        '**npm**',
        '',
        '```bash title="shell"',
        'npm i x',
        '```',
        '',
        '**Note**',
        '',
        'Text of note.',
        '',
        '**First**',
        '',
        'Do Ctrl+C.',
        '',
        'In *box*.',
      ),
    )
  })
})
