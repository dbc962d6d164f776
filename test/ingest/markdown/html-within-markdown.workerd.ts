/** HTML within Markdown: what it shows is evidence, what it hides is not. */
import { describe, expect, it } from 'vitest'
import { htmlToMarkdown } from '../../../packages/ingest/src/markdown/html-to-markdown.ts'
import { createMarkdownSplitter } from '../../../packages/ingest/src/markdown/markdown-splitter.ts'

const VALVE = 'The valve opens at 42 degrees.'
const split = (text: string) => createMarkdownSplitter({ htmlToMarkdown }).split(text, 'markdown')
const textOf = async (text: string): Promise<string> => (await split(text)).parts.map((part) => part.text).join('\n\n')

describe('visible HTML within Markdown', () => {
  it.each([
    ['a block', `<div>\n${VALVE}\n</div>`, VALVE],
    ['a block alone in its line', `<p align="center">${VALVE}</p>`, VALVE],
    ['details', `<details>\n<summary>When?</summary>\n${VALVE}\n</details>`, `When?\n\n${VALVE}`],
    ['Markdown in details', `<details><summary>When?</summary>\n\n- a\n- **b**\n\n</details>`, 'When?\n\n- a\n- **b**'],
    ['an aside, which a page would have around its text', `<aside>\n\n${VALVE}\n\n</aside>`, VALVE],
    ['text beside an article', `Before.\n\n<article>Within.</article>\n\nAfter.`, 'Before.\n\nWithin.\n\nAfter.'],
    ['a table', '<table><tr><td>Valve<td>42<tr><td>Pump<td>7</table>', '| Valve | 42 |\n| - | - |\n| Pump | 7 |'],
    [
      'Markdown in a table',
      '<table>\n<tr><td>\n\n`a` and **b**\n\n</td><td>\n\nc\n\n</td></tr>\n</table>',
      '| `a` and **b** | c |\n| - | - |',
    ],
    [
      'Markdown that fits in no cell',
      '<table>\n<tr><td>Before</td><td>\n\n```js\na\n```\n\n- b\n- c\n\n</td><td>\n\nd | e\n\n</td></tr>\n</table>',
      'Before\n\n```js\na\n```\n\n- b\n- c\n\nd | e',
    ],
    ['Markdown in a list', '<ul><li>\n\n`a`\n\n</li><li>b</li></ul>', '- `a`\n- b'],
    ['code', '<pre>\na &lt;b&gt;\n\nc\n</pre>', '```\na <b>\n\nc\n```'],
    ['references to characters', '<div>a &lt; b &amp; c</div>', 'a < b & c'],
    ['a picture, described', '<p><img src="x" alt="A valve"></p>', 'A valve'],
  ])('is read: %s', async (_, text, expected) => {
    expect(await textOf(text)).toBe(expected)
  })

  it('has its headings as headings', async () => {
    const { parts } = await split(`<h1 align="center">Guide</h1>\n\nIntro.\n\n<h2>\n\nValve\n\n</h2>\n\n${VALVE}`)
    expect(parts).toEqual([
      { text: 'Guide\n\nIntro.', section: 'Guide' },
      { text: `Valve\n\n${VALVE}`, section: 'Guide › Valve' },
    ])
  })

  it('keeps surrounding headings, lists and fences', async () => {
    const text =
      '# A\n\n1. one\n   ```html\n   <!-- c -->\n   ```\n\n```html\n<p hidden>x</p>\n```\n\n    <!-- code -->\n\n`<!-- d -->` <kbd>k</kbd>'
    expect(await split(`${text}\n\n<div>x</div>`)).toEqual({
      ...(await split(`${text}\n\nx`)),
      work: expect.any(Number) as number,
    })
    expect(await textOf(text)).toContain('<p hidden>x</p>')
  })

  it('may contain the characters used as placeholders', async () => {
    expect(await textOf('<div>\ue0000\ue001 &#xe000;9&#xe001; x</div>\n\nAfter.')).toBe('0  x\n\nAfter.')
  })
})

describe('hidden HTML within Markdown', () => {
  it.each([
    ['a comment', `Seen <!-- ${VALVE} --> here.`, 'Seen  here.', false],
    [
      'a comment of several lines, in a list',
      `- Seen\n  <!-- ${VALVE}\n  ${VALVE} -->\n- here`,
      '- Seen\n  \n- here',
      false,
    ],
    ['a script', `Seen <script>${VALVE}</script>here.`, 'Seen here.', false],
    ['a hidden element', `Seen <span hidden>${VALVE}</span>here.`, 'Seen here.', true],
    ['an element by its style', `Seen <b style="display:none">${VALVE}</b>here.`, 'Seen here.', true],
    [
      'Markdown in a hidden element',
      `Seen.\n\n<div hidden>\n\n**${VALVE}**\n\n- ${VALVE}\n\n</div>\n\nHere.`,
      'Seen.\n\nHere.',
      true,
    ],
    ['a dialog that is closed', `Seen <dialog>${VALVE}</dialog>here.`, 'Seen here.', false],
    ['what browsers take for comments', `Seen <?${VALVE}?>he<!a ${VALVE}>r<![CDATA[${VALVE}]]>e.`, 'Seen here.', false],
    ['an element with a long tag', `Seen <b title="${'a>'.repeat(400)}" hidden>${VALVE}</b>here.`, 'Seen here.', true],
    [
      'an element between marks of code in tags',
      `Seen <i a="\`"></i><b hidden>${VALVE}</b><i a="\`"></i>here.`,
      'Seen here.',
      true,
    ],
    [
      'an element with a mark of code in its tag',
      `<b title="\`" hidden>${VALVE}</b>Seen \`here\`.`,
      'Seen `here`.',
      true,
    ],
    [
      'an element after code in a quote',
      `> ~~~\n> a\n> ~~~\n> Seen <b hidden>${VALVE}</b>here.`,
      '> ~~~\n> a\n> ~~~\n> Seen here.',
      true,
    ],
    [
      'an element after code that ends with its item',
      `- ~~~\n  a\n- Seen <b hidden>${VALVE}</b>here.`,
      '- ~~~\n  a\n- Seen here.',
      true,
    ],
    ['an element between escaped backticks', `\\\`Seen <b hidden>${VALVE}</b>here.\\\``, '\\`Seen here.\\`', true],
    [
      'an element between backticks of two items',
      `- Seen \`\n- here <b hidden>${VALVE}</b>\``,
      '- Seen `\n- here `',
      true,
    ],
    ['an element after a line like a fence', `Seen\n    ~~~ here <b hidden>${VALVE}</b>`, 'Seen\n    ~~~ here', true],
    ['an element in HTML with backticks', `- <p>\n  \`<b hidden>${VALVE}</b>Seen\`\n  </p>`, '-\n\n`Seen`', true],
    ['an element that does not end', `Seen <i hidden>${VALVE}\n\nHere.`, 'Seen\n\nHere.', true],
  ])('is removed: %s', async (_, text, expected, hiddenText) => {
    expect(await textOf(text)).toBe(expected)
    expect((await split(text)).hiddenText).toBe(hiddenText)
  })

  it('is removed from headings, which remain headings', async () => {
    const text = `# *Guide* <script>${VALVE}</script><!-- c --> {#guide}\n\n## Valves <b hidden>${VALVE}</b>\n\nSeen.`
    expect(await split(text)).toMatchObject({
      parts: [{ text: 'Valves\n\nSeen.', section: 'Guide › Valves' }],
      hiddenText: true,
    })
    const long = 'word '.repeat(80)
    expect(await textOf(`# ${long}<b hidden>${VALVE}</b>`)).toBe(long.trim())
    // Where no HTML is read it stays as it is written.
    const { parts } = await createMarkdownSplitter().split('# A <b hidden>b</b>\n\nSeen.', 'markdown')
    expect(parts).toEqual([{ text: 'A b\n\nSeen.', section: 'A b' }])
  })

  it('is removed beside backticks in many tags', async () => {
    const tag = '<b title="`" hidden>x</b> `<i hidden>` '
    expect(await textOf(tag.repeat(40))).toBe(Array(40).fill('`<i hidden>`').join('  '))
  })

  it('is text when it is code, escaped or not ended', async () => {
    for (const text of [
      'Use `<!-- a -->` here <!---->',
      'A \\<!-- b --> c',
      'A <!-- b',
      'A `` ` <b hidden>x</b> `` c',
      '- `` <b hidden>x</b> ``\n- \\\\` <b hidden>x</b> `',
    ])
      expect(await textOf(text)).toBe(text.replace(' <!---->', ''))
  })

  it('leaves a table row on one line', async () => {
    expect(await textOf('| a<br>b | <!-- x -->c |')).toBe('| a b | c |')
  })
})
