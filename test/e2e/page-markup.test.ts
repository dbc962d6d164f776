/** Markdown and markup on the page at `/`: always text. */
import { describe, expect, it } from 'vitest'
import { DEEP } from '../deep-run.ts'
import { ask, changing, HOSTILE_MARKUP, pageSite, STRONG } from './page-site.ts'

const site = pageSite()
const { visit } = site

describe('Markdown in an answer', () => {
  it('is shown as it means, and never as markup of its own', async () => {
    const { page, complaints } = await visit()
    const answer = [
      '## Steps **first**',
      '',
      'Run `npm i <x>` and *see* __what__ [happens](https://example.com/a_(b) "now"), not [this](javascript:alert(1)). [1]',
      '',
      '1. One',
      '   - inner `a`',
      '   - other',
      '',
      '2. Two',
      '',
      '> Quoted',
      '> on.',
      '',
      '| a | b |',
      '|---|:-:|',
      '| 1 | `2` |',
      '',
      '```js',
      '<script>alert("code")</script> **not bold**',
      '```',
      '---',
      `Snake_case_name, 2 * 3 * 4, \\*escaped\\*, ![alt](https://example.com/x.png) ${HOSTILE_MARKUP} [99]`,
    ].join('\n')
    await changing(page, (body) => ({ ...body, answer }))
    await ask(page, STRONG)
    const html = await page.locator('.answer').evaluate((element) => element.innerHTML)
    expect(html).toBe(
      [
        '<p class="heading">Steps <strong>first</strong></p>',
        '<p>Run <code>npm i &lt;x&gt;</code> and <em>see</em> <strong>what</strong> ',
        '<a href="https://example.com/a_(b)" target="_blank" rel="noopener noreferrer nofollow">happens</a>, not this. ',
        '<a href="#source-1" class="citation" aria-label="Source 1">[1]</a></p>',
        '<ol><li>One<ul><li>inner <code>a</code></li><li>other</li></ul></li><li>Two</li></ol>',
        '<blockquote><p>Quoted\non.</p></blockquote>',
        '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td><code>2</code></td></tr></tbody></table>',
        '<pre><code>&lt;script&gt;alert("code")&lt;/script&gt; **not bold**</code></pre>',
        '<hr>',
        `<p>Snake_case_name, 2 * 3 * 4, *escaped*, alt ${HOSTILE_MARKUP.replaceAll('<', '&lt;').replaceAll('>', '&gt;')} [99]</p>`,
      ].join(''),
    )
    expect(complaints).toEqual([])
  })

  const PIECES = [
    ['stars', '**'],
    ['ticks', '` '],
    ['brackets', '[]('],
    ['quotes', '> '],
    ['items', '- '],
    ['cells', '|'],
    ['underscores', '_a '],
  ] as const
  it.each(DEEP ? PIECES : PIECES.slice(1, 2))(
    'that is 29,000 characters of %s does not hold the page up',
    async (_, piece) => {
      const { page } = await visit()
      await changing(page, (body) => ({ ...body, answer: piece.repeat(29_000 / piece.length) }))
      const startedMs = performance.now()
      await ask(page, STRONG)
      expect(performance.now() - startedMs).toBeLessThan(20_000)
    },
  )
})

describe('markup in documents and questions', () => {
  it('is text, and nothing else', async () => {
    const { page, complaints } = await visit()
    const question = 'What does the zebra protocol carry in every quagga frame?'
    let shown = ''
    for (const asked of [question, `${question} ${HOSTILE_MARKUP}`]) {
      await ask(page, asked)
      for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
      shown += await page.getByRole('main').innerText()
      expect(await page.locator('main img, main script, main [onerror], main a[href^="javascript:"]').count()).toBe(0)
    }
    // In the question, in the title of a source and in its text.
    expect(shown.split(HOSTILE_MARKUP).length).toBeGreaterThan(3)
    await page.waitForTimeout(200)
    expect(complaints).toEqual([])
  })

  it('becomes a link only when a source is a web address', async () => {
    const { page, complaints } = await visit()
    await changing(page, (body) => {
      const [first] = body['sources'] as object[]
      const sources = ['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://example.com/a'].map(
        (source, at) => ({ ...first, number: at + 1, source }),
      )
      return { ...body, answer: 'Four [1] [2] [3] [4], and [99].', sources, passages: undefined }
    })
    await ask(page, STRONG)
    const links = page.locator('.sources a')
    expect(await links.count()).toBe(1)
    expect(await links.getAttribute('href')).toBe('https://example.com/a')
    expect(await links.getAttribute('rel')).toContain('noopener')
    expect(await page.locator('.answer a').count()).toBe(4)
    expect(complaints).toEqual([])
  })

  it('would meet a strict policy in the headers', async () => {
    const modules = ['page', 'access', 'answer', 'elements', 'exchange', 'markdown', 'writing'].map(
      (name) => `/${name}.js`,
    )
    for (const path of ['/', ...modules, '/theme.css', '/style.css', '/favicon.svg']) {
      const { status, headers } = await fetch(`${site.gate.url}${path}`)
      expect(status).toBe(200)
      expect(headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      )
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })
})
