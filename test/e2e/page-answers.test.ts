/** Answers and refusals on the page at `/`, in a real browser, against a real Worker; Markdown and markup in them are always text. */
import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { DEEP } from '../deep-run.ts'
import {
  ADVISORY,
  ask,
  askUntilCached,
  changing,
  fact,
  HOSTILE_MARKUP,
  pageSite,
  settled,
  STRONG,
  WEATHER,
} from './page-site.ts'

const site = pageSite()
const { visit } = site

describe('an answer', () => {
  it('without a model is shown as search results, with verdict, confidence and band', async () => {
    const { page, complaints } = await visit()
    await ask(page, STRONG)
    const result = page.getByRole('article', { name: STRONG })
    expect(await result.locator('.verdict .badge').innerText()).toMatch(/^(Pass|Advise)$/)
    const passages = await result.locator('.results > li').all()
    expect(await result.locator('.answer').innerText()).toBe(`Found ${passages.length} passages for this question.`)
    expect(await result.locator('.confidence').innerText()).toMatch(/^[01]\.\d{3}\s*(high|medium|low) confidence$/)
    expect(await result.innerText()).toContain('No model wrote this')
    expect(await passages[0]!.innerText()).toMatch(
      /^Caching answers\s+Lifetimes\s+docs\/cache\.md\s+Lifetimes\s+A strong answer is cached for one hour\./,
    )
    expect(await page.locator('.sources').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it.runIf(DEEP)('of many search results shows three with their Markdown, and folds the others', async () => {
    const { page, complaints } = await visit()
    const passages = [
      'One **bold**',
      `${HOSTILE_MARKUP} and [a link](javascript:alert(1))`,
      '- three',
      'Four',
      'Five',
    ].map((text, at) => ({ id: `p${at}`, document_id: `d${at}`, title: `Title ${at} ${HOSTILE_MARKUP}`, text }))
    await changing(page, (body) => ({ ...body, passages }))
    await ask(page, STRONG)
    expect(await page.locator('.results > li').count()).toBe(5)
    expect(await page.locator('.results > li:visible').count()).toBe(3)
    expect(await page.locator('.results strong', { hasText: 'bold' }).innerText()).toBe('bold')
    expect(await page.locator('.results ul > li').innerText()).toBe('three')
    await page.locator('.reading').getByText('2 more').click()
    expect(await page.locator('.results > li:visible').last().innerText()).toMatch(/Title 4[\s\S]*Five$/)
    expect(await page.locator('main img, main script, main [onerror], main a[href^="javascript:"]').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('has findings, signals, policy, timings, and chunks with their scores by kind', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    expect(await page.locator('.findings li').first().innerText()).toMatch(/confidence-range\s+Confidence \(/)
    expect(await fact(page, 'Policy').innerText()).toMatch(/^balanced@[0-9a-f]{16}$/)
    expect(await fact(page, 'In the Worker').innerText()).toMatch(/^\d+ ms$/)
    expect(await fact(page, 'Round trip').innerText()).toMatch(/^\d+ ms$/)
    await page.getByText(/^All \d+ signals, as measured$/).click()
    expect(Number(await fact(page, 'Chunk count').innerText())).toBeGreaterThan(1)
    const first = page.locator('.chunks > li').first()
    expect(await first.locator('.scores dt').allInnerTexts()).toEqual(['bm25'])
    for (const score of await first.locator('.scores .number').allInnerTexts()) expect(Number(score)).toBeGreaterThan(0)
    await first.getByText('Read the passage').click()
    expect(await first.locator('.passage').innerText()).toContain('A weaker answer is cached for ten minutes.')
  })

  it('asked for again comes from the cache, with its age and remaining lifetime', async () => {
    const { page, complaints } = await visit()
    await askUntilCached(page, 'How long is a refusal cached?')
    expect(await fact(page, 'Cache').innerText()).toMatch(/^hit, stored \d+ s ago, .+ left$/)
    expect(await page.getByRole('status').innerText()).toContain('from the cache')
    expect(await page.locator('#history li').first().innerText()).toContain('cached')
    expect(complaints).toEqual([])
  })

  it.runIf(DEEP)('with a caution shows it', async () => {
    const { page } = await visit()
    await changing(page, (body) => ({ ...body, verdict: 'advise', caution: 'Verify this.' }))
    await ask(page, STRONG)
    expect(await page.locator('.verdict .badge').innerText()).toBe('Advise')
    expect(await page.locator('.caution').innerText()).toBe('Verify this.')
  })

  it('that would be a refusal is marked in observe mode', async () => {
    const { page } = await visit()
    const note = page.getByText('Answered all the same: the gate observes')
    await ask(page, WEATHER)
    expect(await note.count()).toBe(0)
    await page.route('**/ask', async (route) => {
      const response = await route.fetch()
      const headers = response.headers()
      await route.fulfill({ response, headers: { ...headers, 'rag-gate': `${headers['rag-gate']};mode=observe` } })
    })
    await ask(page, WEATHER)
    expect(await note.count()).toBe(1)
    await ask(page, STRONG)
    expect(await note.count()).toBe(0)
  })

  it('for the public has no figures, and is laid out without them', async () => {
    const { page, complaints } = await visit()
    await changing(page, (body) => ({ ...body, detail: undefined }))
    await ask(page, STRONG)
    expect(await page.locator('.confidence').innerText()).toMatch(/^(High|Medium|Low)$/)
    expect(await page.locator('.findings, .chunks').count()).toBe(0)
    expect(await page.locator('.results > li').first().innerText()).toContain('one hour')
    await ask(page, WEATHER)
    expect(await page.locator('.verdict .badge').innerText()).toBe('Refuse')
    expect(complaints).toEqual([])
  })

  it('to an older question never replaces that of a newer one', async () => {
    const { page } = await visit()
    await page.route('**/ask', async (route) => {
      if (route.request().postData()?.includes('weather') === true)
        await new Promise((resolve) => setTimeout(resolve, 400))
      // The browser may have given this request up meanwhile.
      await route.continue().catch(() => undefined)
    })
    await page.getByRole('button', { name: WEATHER }).click()
    await ask(page, STRONG)
    await page.waitForTimeout(600)
    expect(await page.locator('#asked').innerText()).toBe(STRONG)
    expect(await page.locator('#history li').count()).toBe(1)
  })
})

describe('a refusal', () => {
  it('shows the reason, suggestions, and the finding that decided', async () => {
    const { page, complaints } = await visit()
    await page.getByRole('button', { name: WEATHER }).click()
    await settled(page)
    const result = page.getByRole('article', { name: WEATHER })
    expect(await result.locator('.verdict .badge').innerText()).toBe('Refuse')
    expect(await result.locator('.answer').innerText()).toContain('I cannot answer this question')
    expect(await result.innerText()).toMatch(/Why\s+No relevant information found in documents/)
    expect(await result.locator('.bullets li').count()).toBeGreaterThan(0)
    expect(await result.locator('.findings .refuse').innerText()).toBe('Refuse')
    expect(await result.locator('.sources').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a refusal with closest passages', () => {
  it('shows their places to operators', async () => {
    const { page, complaints } = await visit()
    await ask(page, 'What is cached for fifty years in Chicago?')
    const part = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Closest passages' }) })
    expect(await part.locator('li').first().innerText()).toBe('Caching answers › Lifetimes docs/cache.md')
    expect(complaints).toEqual([])
  })

  it('shows them as text, with links only to web addresses', async () => {
    const { page, complaints } = await visit()
    const closest = [
      { title: 'Caching answers', section: 'Caching answers › Lifetimes', source: 'https://example.com/cache' },
      { document_id: 'gate.md', title: `Gate ${HOSTILE_MARKUP}`, source: 'javascript:alert(1)' },
    ]
    await changing(page, (body) => ({ ...body, closest }))
    await ask(page, WEATHER)
    const part = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Closest passages' }) })
    expect(await part.locator('li').allInnerTexts()).toEqual([
      'Caching answers › Lifetimes https://example.com/cache ↗',
      `Gate ${HOSTILE_MARKUP} javascript:alert(1)`,
    ])
    expect(await part.locator('a').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it.runIf(DEEP)('shows none when the gate names none', async () => {
    const { page } = await visit()
    await changing(page, (body) => ({ ...body, closest: undefined }))
    await ask(page, WEATHER)
    expect(await page.getByText('Closest passages').count()).toBe(0)
  })
})

describe('badge and banner of a policy', () => {
  it("are shown above the answer in the specification's colours", async () => {
    const { page, complaints } = await visit()
    await changing(page, (body) => ({ ...body, ...ADVISORY }))
    await ask(page, STRONG)
    const mark = page.locator('.reading .mark')
    expect(await mark.innerText()).toBe(ADVISORY.badge.text)
    expect(await page.locator('.reading .banner').innerText()).toBe(ADVISORY.banner)
    const css = (locator: Locator, names: readonly string[]) =>
      locator.evaluate(
        (element, wanted) => wanted.map((name) => getComputedStyle(element).getPropertyValue(name)),
        names,
      )
    expect(await css(mark, ['background-color', 'padding', 'border-radius', 'font-size'])).toEqual([
      'rgb(255, 243, 224)',
      '4px 8px',
      '4px',
      '11px',
    ])
    expect(await css(page.locator('.banner'), ['background-color', 'border-color', 'color'])).toEqual([
      'rgb(255, 243, 224)',
      'rgb(255, 193, 7)',
      'rgb(133, 100, 4)',
    ])
    expect(complaints).toEqual([])
  })

  it.runIf(DEEP)('are missing for a policy without them', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    expect(await page.locator('.mark, .banner').count()).toBe(0)
  })
})

describe('the confidence', () => {
  it.runIf(DEEP)('is shown on a gauge with every threshold, its meaning and figure', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    const labels = page.getByRole('list', { name: 'Thresholds' }).getByRole('listitem')
    const [refuse = '', advise = ''] = await labels.allInnerTexts()
    expect(refuse).toMatch(/^Refuse below 0\.\d{3}$/)
    expect(advise).toMatch(/^Advise below 0\.\d{3}$/)
    const ticks = page.locator('.bar.wide b')
    expect(await ticks.count()).toBe(2)
    const bar = (await page.locator('.bar.wide').boundingBox())!
    for (const [at, label] of [refuse, advise].entries()) {
      const { x } = (await ticks.nth(at).boundingBox())!
      expect((x - bar.x) / bar.width).toBeCloseTo(Number(/[\d.]+$/.exec(label)?.[0]), 1)
    }
    expect(await page.locator('.scale span').allInnerTexts()).toEqual([refuse, advise].map((text) => text.slice(-5)))
  })

  it.runIf(DEEP)('shows thresholds from separate settings, and a single threshold of a finding', async () => {
    const { page } = await visit()
    const finding = {
      gate: 'own',
      stage: 'pre-generation',
      outcome: 'pass',
      code: 'passed',
      message: 'Fine',
      actual: 0.61,
    }
    const detail = { confidence: 0.61, signals: { chunkCount: 1 }, chunks: [] }
    let gates: unknown = [{ gate: 'own', settings: { refuseBelow: 0.3, adviseBelow: 0.35 } }]
    await changing(page, (body) => ({
      ...body,
      detail: { ...detail, gates, findings: [{ ...finding, threshold: 0.4 }] },
    }))
    await ask(page, STRONG)
    const labels = page.getByRole('list', { name: 'Thresholds' })
    expect((await labels.innerText()).split('\n')).toEqual(['Refuse below 0.300', 'Advise below 0.350'])
    const boxes = await Promise.all((await page.locator('.scale span').all()).map((each) => each.boundingBox()))
    // Figures that are close to each other do not lie over each other.
    expect(boxes[0]!.x + boxes[0]!.width).toBeLessThanOrEqual(boxes[1]!.x)
    gates = undefined
    await ask(page, STRONG)
    expect(await labels.innerText()).toBe('Threshold 0.400')
  })

  it.runIf(DEEP).each([
    ['source', '.sources li', { passages: undefined }, '[1]'],
    ['search result', '.results > li', {}, 'Caching answers'],
  ])('of a flagged retrieval warns before the first %s', async (_, items, more, first) => {
    const { page } = await visit()
    const confidence = { overall_confidence: 0.5, interpretation: 'LOW - Weak retrieval', should_flag_for_review: true }
    const explanation = { confidence, analysis: [{ metric: 'top_score', text: '❌ Low top score' }] }
    await changing(page, (body) => ({
      ...body,
      ...more,
      answer: 'One hour [1].',
      detail: { ...(body['detail'] as object), explanation },
    }))
    await ask(page, STRONG)
    expect(await page.locator(items).first().innerText()).toBe('⚠️ LOW - Weak retrieval')
    expect(await page.locator(items).nth(1).innerText()).toContain(first)
    expect(await page.locator('.facts').innerText()).toContain('❌ Low top score')
  })
})

describe('Markdown in an answer', () => {
  it('is rendered, and never as HTML of its own', async () => {
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
    'with 29,000 characters of %s does not block the page',
    async (_, piece) => {
      const { page } = await visit()
      await changing(page, (body) => ({ ...body, answer: piece.repeat(29_000 / piece.length) }))
      const startedMs = performance.now()
      await ask(page, STRONG)
      expect(performance.now() - startedMs).toBeLessThan(20_000)
    },
  )
})

describe('a text from right to left', () => {
  it('is shown in its own direction, with the mark at its end on the left', async () => {
    const { page } = await visit()
    const text = '\u05DE\u05D4 \u05D6\u05D4 API?'
    await changing(page, (body) => ({
      ...body,
      refused: false,
      verdict: 'advise',
      answer: `${text}\n\n- ${text}`,
      caution: text,
      passages: [{ id: 'p', document_id: 'd', title: text, section: `${text} › ${text} ${text}`, text }],
    }))
    await ask(page, text)
    const shown = page.locator(
      '#asked, .caution, .answer p, .answer li, .results strong, .results .quiet, .passage p, #history button',
    )
    const ends = await shown.evaluateAll((elements) =>
      elements.map((element) => {
        const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!
        const [first, last] = [0, node.textContent!.length - 1].map((at) => {
          const range = document.createRange()
          range.setStart(node, at)
          range.setEnd(node, at + 1)
          return range.getBoundingClientRect().left
        })
        return [element.className || element.tagName, last! < first!]
      }),
    )
    expect(ends).toHaveLength(8)
    expect(ends.filter(([, isLeft]) => !isLeft)).toEqual([])
    expect(
      await page
        .locator('#question, .answer, .passage')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).direction)),
    ).toEqual(['rtl', 'rtl', 'rtl'])
  })
})

it('a long question is not cut within a character', async () => {
  const { page } = await visit()
  await ask(page, `${'a'.repeat(159)}\u{1F600}${'a'.repeat(159)}`)
  expect(await page.locator('#asked').innerText()).toBe(`${'a'.repeat(159)} …`)
})

describe('markup in documents and questions', () => {
  it('is shown as text only', async () => {
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

  it('becomes a link only for a source that is a web address', async () => {
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

  it('is served with a strict content security policy', async () => {
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
