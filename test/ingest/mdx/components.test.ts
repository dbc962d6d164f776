import { describe, expect, it } from 'vitest'
import { mdxToMarkdown } from '../../../packages/ingest/src/mdx/mdx-to-markdown.ts'

const read = (mdx: string): string =>
  mdxToMarkdown(mdx)
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()

describe('components of documentation sites', () => {
  it.each([
    [
      'tabs named by their container',
      '<Tabs items={[\'npm\', "pnpm"]}>\n  <Tabs.Tab>\n    a\n  </Tabs.Tab>\n  <Tabs.Tab>b</Tabs.Tab>\n  <Tabs.Tab>c</Tabs.Tab>\n</Tabs>',
      '**npm**\n\na\n\n**pnpm**\n\nb\nc',
    ],
    [
      'tabs named by the labels of objects',
      "<Tabs items={[{ label: 'A b', disabled: true }, { label: `C` }]}>\n<Tab>a</Tab>\n<Tab>b</Tab>\n</Tabs>",
      '**A b**\n\na\n\n**C**\n\nb',
    ],
    [
      'tabs named by the label of their value',
      "<Tabs values={[{ label: 'Mac', value: 'mac' }, { label: 'Other', value: 'x' }]}>\n<TabItem value=\"x\">a</TabItem>\n<TabItem value=\"mac\">b</TabItem>\n<TabItem value='y'>c</TabItem>\n</Tabs>",
      '**Other**\n\na\n\n**Mac**\n\nb\n\n**y**\n\nc',
    ],
    [
      'tabs with a label of their own',
      "<Tabs items={['a', 'b']}>\n<Tab title=\"c\">d</Tab>\n<Tab>e</Tab>\n</Tabs>",
      '**c**\n\nd\n\n**b**\n\ne',
    ],
    [
      'tabs in tabs',
      "<Tabs items={['a', 'b']}>\n<Tab>\n<Tabs items={['c']}>\n<Tab>\nd\n</Tab>\n</Tabs>\n</Tab>\n<Tab>e</Tab>\n</Tabs>\n<Tab>f</Tab>",
      '**a**\n\n**c**\n\nd\n\n**b**\n\ne\n\nf',
    ],
    ['tabs named by code', '<Tabs items={names}>\n<Tab>a</Tab>\n<Tab value="b">c</Tab>\n</Tabs>', 'a\n\n**b**\n\nc'],
    ['items that name no tabs', "<List items={['a', 'b']}>\n<Tab>c</Tab>\n</List>", 'c'],
    ['lines of text', "<Snippet text={['git clone a', `cd a`]} />", 'git clone a\ncd a'],
    ['lists of other text', '<Snippet text={[a, "b"]} />', ''],
    [
      'types of parameters',
      '<ParamField body="key" type="string" required>\n  a\n</ParamField>',
      '**key** (string, required)\n\na',
    ],
    [
      'defaults of parameters',
      '<ResponseField name="a" type="number" default={3} required={false} />\n<ParamField query="b" default="c" deprecated />\n<ParamField path="d" required={true} default={null}/>',
      '**a** (number, default 3)\n\n**b** (default c, deprecated)\n\n**d** (required, default null)',
    ],
    [
      'admonitions',
      '<Aside type="caution">a</Aside>\n<Admonition title="b" type="tip">c</Admonition>\n<Aside>d</Aside>',
      '**Caution**\n\na\n\n**b**\n\nc\nd',
    ],
    ['headers', '<Details header="a">b</Details>', '**a**\n\nb'],
    ['types of others', '<Callout title="a" type="warning" required>b</Callout>', '**a**\n\nb'],
    [
      'trees of files',
      '<FileTree>\n  <FileTree.Folder name="app" defaultOpen>\n    <FileTree.File name="a.js" />\n    <FileTree.Folder name="b"><FileTree.File name="c.js" /></FileTree.Folder>\n  </FileTree.Folder>\n  <FileTree.File name="d.js" />\n</FileTree>\n\ne',
      '- app\n  - a.js\n  - b\n  - c.js\n\n- d.js\n\ne',
    ],
    [
      'code blocks that are no code',
      '```mdx-code-block\nimport a from "b"\n\n<Tab label="c">\n```\n\n```js\n<d>\n```\n\n````mdx-code-block\n```\n{e}\n```\n</Tab>\n````\n\n```\n{f}',
      '**c**\n\n```js\n<d>\n```\n\n```\n{e}\n```\n\n```\n{f}',
    ],
    ['files alone', 'a\n\n<File name="b.js" />\n\nc <Files name="d"/>', 'a\n\n- b.js\n\nc'],
  ])('reads %s', (_, mdx, markdown) => {
    expect(read(mdx)).toBe(markdown)
  })

  it.each([
    ['> <Card title="a">\n> b\n> </Card>', '> **a**\n>\n> b\n>'],
    ['> <Card title="a" text="b">c</Card>\nd', '> **a**\n>\n> b\n>\n> c\nd'],
    ['> > <Card title="a">\n> > b\n> > </Card>', '> > **a**\n> >\n> > b\n> >'],
    ['> a <Card title="b" /> c', '> a  b  c'],
    ['> a\n<Card title="b" />', '> a\n\n**b**'],
  ])('keeps components in quotes: %j', (mdx, markdown) => {
    expect(read(mdx)).toBe(markdown)
  })

  it('reads long expressions', () => {
    const lines = Array.from({ length: 900 }, (_, at) => `line ${at}`).join('\n')
    expect(mdxToMarkdown(`<CodeBlock>{\`\n${lines}\n\`}</CodeBlock>`).trim()).toBe(`\`\`\`\n${lines}\n\`\`\``)
    const rows = Array.from({ length: 300 }, (_, at) => `{ title: 'a${at}', text: 'b' }`).join(',\n')
    expect(mdxToMarkdown(`{[\n${rows}\n].map((row) => <Row {...row} />)}\n`)).toContain('- **a299**: b\n')
  })
})
