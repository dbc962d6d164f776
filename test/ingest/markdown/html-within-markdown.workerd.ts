/** HTML within Markdown: what it shows is evidence, what it hides is not. */
import { describe, expect, it } from 'vitest'
import { htmlToMarkdown } from '../../../packages/ingest/src/markdown/html-to-markdown.ts'
import { createMarkdownSplitter } from '../../../packages/ingest/src/markdown/markdown-splitter.ts'

const VALVE = 'The valve opens at 42 degrees.'
const split = (text: string) => createMarkdownSplitter({ htmlToMarkdown }).split(text, 'markdown')
const textOf = async (text: string): Promise<string> => (await split(text)).parts.map((part) => part.text).join('\n\n')

describe('what HTML within Markdown shows', () => {
  it.each([
    ['a block', `<div>\n${VALVE}\n</div>`, VALVE],
    ['a block alone in its line', `<p align="center">${VALVE}</p>`, VALVE],
    ['details', `<details>\n<summary>When?</summary>\n${VALVE}\n</details>`, `When?\n\n${VALVE}`],
    ['Markdown in details', `<details><summary>When?</summary>\n\n- a\n- **b**\n\n</details>`, 'When?\n\n- a\n- **b**'],
    ['an aside, which a page would have around its text', `<aside>\n\n${VALVE}\n\n</aside>`, VALVE],
    ['text beside an article', `Before.\n\n<article>Within.</article>\n\nAfter.`, 'Before.\n\nWithin.\n\nAfter.'],
    ['a table', '<table><tr><td>Valve<td>42<tr><td>Pump<td>7</table>', '| Valve | 42 |\n| - | - |\n| Pump | 7 |'],
    ['Markdown in a list', '<ul><li>\n\n`a`\n\n</li><li>b</li></ul>', '- `a`\n- b'],
    ['code', '<pre>\na &lt;b&gt;\n\nc\n</pre>', '```\na <b>\n\nc\n```'],
    ['references to characters', '<div>a &lt; b &amp; c</div>', 'a < b & c'],
    ['a picture, described', '<p><img src="x" alt="A valve"></p>', 'A valve'],
  ])('is read: %s', async (_, text, expected) => {
    expect(await textOf(text)).toBe(expected)
  })

  it('gives headings their place', async () => {
    const { parts } = await split(`<h1 align="center">Guide</h1>\n\nIntro.\n\n<h2>\n\nValve\n\n</h2>\n\n${VALVE}`)
    expect(parts).toEqual([
      { text: 'Guide\n\nIntro.', section: 'Guide' },
      { text: `Valve\n\n${VALVE}`, section: 'Guide › Valve' },
    ])
  })

  it('leaves Markdown around it as it is, headings, lists and fences', async () => {
    const text =
      '# A\n\n1. one\n   ```html\n   <!-- c -->\n   ```\n\n```html\n<p hidden>x</p>\n```\n\n    <!-- code -->\n\n`<!-- d -->` <kbd>k</kbd>'
    expect(await split(`${text}\n\n<div>x</div>`)).toEqual({
      ...(await split(`${text}\n\nx`)),
      work: expect.any(Number) as number,
    })
    expect(await textOf(text)).toContain('<p hidden>x</p>')
  })

  it('is not taken for what stands in for it', async () => {
    expect(await textOf('<div>\ue0000\ue001 &#xe000;9&#xe001; x</div>\n\nAfter.')).toBe('0  x\n\nAfter.')
  })
})

describe('what HTML within Markdown hides', () => {
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
    ['an element that does not end', `Seen <i hidden>${VALVE}\n\nHere.`, 'Seen\n\nHere.', true],
  ])('is left out: %s', async (_, text, expected, hiddenText) => {
    expect(await textOf(text)).toBe(expected)
    expect((await split(text)).hiddenText).toBe(hiddenText)
  })

  it('is text where it is code, escaped, or does not end', async () => {
    for (const text of ['Use `<!-- a -->` here <!---->', 'A \\<!-- b --> c', 'A <!-- b', 'A `` ` <b hidden>x</b> `` c'])
      expect(await textOf(text)).toBe(text.replace(' <!---->', ''))
  })

  it('keeps a row of a table in one line', async () => {
    expect(await textOf('| a<br>b | <!-- x -->c |')).toBe('| a b | c |')
  })
})
