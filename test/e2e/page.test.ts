/** The page at `/`, in a real browser, against a real Worker. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ingest } from '../../src/cli/gate-client.ts'
import { violations } from './axe.ts'
import { GATE_DOCUMENTS, type Visit, visitedSite } from './visited-site.ts'

const STRONG = 'How long is a strong answer cached?'
const WEATHER = 'What is the weather in Chicago?'
const HOSTILE_MARKUP = `<img src=x onerror="alert('title')"><script>alert('script')</script>`

const site = visitedSite([
  ...GATE_DOCUMENTS,
  {
    id: 'hostile.md',
    title: `Zebra ${HOSTILE_MARKUP}`,
    source: 'https://example.com/"><script>alert(1)</script>',
    text: `# Zebra ${HOSTILE_MARKUP}

The zebra protocol carries ${HOSTILE_MARKUP} in every quagga frame, see <a href="javascript:alert('link')">[1]</a>.`,
  },
])
const visit = (options?: BrowserContextOptions): Promise<Visit> => site.visit('/', options)

const questionBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Ask the documents' })

async function ask(page: Page, question: string): Promise<void> {
  await questionBox(page).fill(question)
  await questionBox(page).press('Enter')
  await settled(page)
}

/** The latest question has its answer, or its error. */
async function settled(page: Page): Promise<void> {
  await page.locator('#result:not([aria-busy]) #asked').waitFor()
}

/** Asks until the answer comes from the cache: it is stored after the response was sent. */
async function askUntilCached(page: Page, question: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    await ask(page, question)
    if ((await fact(page, 'Cache').innerText()).startsWith('hit')) return
  }
}

/** The value beside a name among the facts. */
function fact(page: Page, name: string): Locator {
  return page
    .locator('.rows > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
    .locator('dd')
}

const activeId = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id)

describe('an answer', () => {
  it('is shown with verdict, confidence, band, citations, sources and how it was made', async () => {
    const { page, complaints } = await visit()
    await ask(page, STRONG)
    const result = page.getByRole('article', { name: STRONG })
    expect(await result.locator('.verdict .badge').innerText()).toMatch(/^(Pass|Advise)$/)
    expect(await result.locator('.answer').innerText()).toMatch(/^A strong answer is cached for one hour\..* \[1\]$/)
    expect(await result.locator('.confidence').innerText()).toMatch(/^[01]\.\d{3}\s*(high|medium|low) confidence$/)
    expect(await result.innerText()).toContain('No model wrote this')
    expect(await result.getByRole('link', { name: 'Source 1' }).getAttribute('href')).toBe('#source-1')
    expect(await page.locator('#source-1').innerText()).toMatch(
      /^\[1\]\s+Caching answers\s+Lifetimes\s+docs\/cache\.md$/,
    )
    expect(complaints).toEqual([])
  })

  it('comes with findings, signals, policy, timings, and the chunks with their scores by kind', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    expect(await page.locator('.findings li').first().innerText()).toMatch(/confidence-range\s+Confidence \(/)
    expect(await fact(page, 'Policy').innerText()).toMatch(/^balanced@[0-9a-f]{16}$/)
    expect(await fact(page, 'In the Worker').innerText()).toMatch(/^\d+ ms$/)
    expect(await fact(page, 'Round trip').innerText()).toMatch(/^\d+ ms$/)
    await page.getByText(/^All \d+ signals, as measured$/).click()
    expect(Number(await fact(page, 'Chunk count').innerText())).toBeGreaterThan(1)
    const first = page.locator('.chunks > li').first()
    expect(await first.locator('.scores dt').allInnerTexts()).toEqual(['convex', 'cosine', 'bm25'])
    for (const score of await first.locator('.scores .number').allInnerTexts()) expect(Number(score)).toBeGreaterThan(0)
    await first.getByText('Read the passage').click()
    expect(await first.locator('.passage').innerText()).toContain('A weaker answer is cached for ten minutes.')
  })

  it('asked for again comes from the cache, with its age and what is left', async () => {
    const { page, complaints } = await visit()
    await askUntilCached(page, 'How long is a refusal cached?')
    expect(await fact(page, 'Cache').innerText()).toMatch(/^hit, stored \d+ s ago, .+ left$/)
    expect(await page.getByRole('status').innerText()).toContain('from the cache')
    expect(await page.locator('#history li').first().innerText()).toContain('cached')
    expect(complaints).toEqual([])
  })

  it('with a caution shows it', async () => {
    const { page } = await visit()
    await page.route('**/ask', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as object
      await route.fulfill({ response, json: { ...body, verdict: 'advise', caution: 'Verify this.' } })
    })
    await ask(page, STRONG)
    expect(await page.locator('.verdict .badge').innerText()).toBe('Advise')
    expect(await page.locator('.caution').innerText()).toBe('Verify this.')
  })

  it('for the public has no figures, and nothing is broken without them', async () => {
    const { page, complaints } = await visit()
    await page.route('**/ask', async (route) => {
      const response = await route.fetch()
      const { detail: _, ...body } = (await response.json()) as Record<string, unknown>
      await route.fulfill({ response, json: body })
    })
    await ask(page, STRONG)
    expect(await page.locator('.confidence').innerText()).toMatch(/^(High|Medium|Low)$/)
    expect(await page.locator('.findings, .chunks').count()).toBe(0)
    expect(await page.locator('.answer').innerText()).toContain('one hour')
    await ask(page, WEATHER)
    expect(await page.locator('.verdict .badge').innerText()).toBe('Refuse')
    expect(complaints).toEqual([])
  })

  it('to an older question never takes the place of a newer one', async () => {
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
  it('shows the reason, what helps, and the finding that decided', async () => {
    const { page, complaints } = await visit()
    await page.getByRole('button', { name: WEATHER }).click()
    await settled(page)
    const result = page.getByRole('article', { name: WEATHER })
    expect(await result.locator('.verdict .badge').innerText()).toBe('Refuse')
    expect(await result.locator('.answer').innerText()).toContain('I cannot answer this question')
    expect(await result.innerText()).toMatch(/Why\s+Confidence \(0\.\d+\) below threshold/)
    expect(await result.locator('.bullets li').count()).toBeGreaterThan(0)
    expect(await result.locator('.findings .refuse').innerText()).toBe('Refuse')
    expect(await result.locator('.sources').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('a refusal that names passages', () => {
  it('shows what the Worker tells operators of them', async () => {
    const { page, complaints } = await visit()
    await ask(page, 'What is cached for fifty years in Chicago?')
    const part = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Closest passages' }) })
    expect(await part.locator('li').first().innerText()).toBe('Caching answers › Lifetimes docs/cache.md')
    expect(complaints).toEqual([])
  })

  it('shows the closest ones, as text', async () => {
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

  it('shows nothing of them where the gate names none', async () => {
    const { page } = await visit()
    await changing(page, (body) => ({ ...body, closest: undefined }))
    await ask(page, WEATHER)
    expect(await page.getByText('Closest passages').count()).toBe(0)
  })
})

/** Lets a page see other answers than the gate gives. */
async function changing(page: Page, change: (body: Record<string, unknown>) => object): Promise<void> {
  await page.route('**/ask', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: change((await response.json()) as Record<string, unknown>) })
  })
}

const ADVISORY = {
  badge: { look: 'warning', text: '⚠ Medium Confidence' },
  banner: '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.',
}

describe('badge and banner of a profile', () => {
  it('stand above the answer, in the colours of its specification', async () => {
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

  it('are not there where the profile has none', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    expect(await page.locator('.mark, .banner').count()).toBe(0)
  })
})

describe('the confidence', () => {
  it('stands on a gauge with every threshold, each with its meaning and figure', async () => {
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

  it('reads settings that stand apart from the name of their gate, and shows a lone threshold as one', async () => {
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

  it('of a flagged retrieval warns before the first source', async () => {
    const { page } = await visit()
    const confidence = { overall_confidence: 0.5, interpretation: 'LOW - Weak retrieval', should_flag_for_review: true }
    const explanation = { confidence, analysis: [{ metric: 'top_score', text: '❌ Low top score' }] }
    await changing(page, (body) => ({ ...body, detail: { ...(body['detail'] as object), explanation } }))
    await ask(page, STRONG)
    expect(await page.locator('.sources li').first().innerText()).toBe('⚠️ LOW - Weak retrieval')
    expect(await page.locator('.sources li').nth(1).innerText()).toContain('[1]')
    expect(await page.locator('.facts').innerText()).toContain('❌ Low top score')
  })
})

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

  it.each([
    ['stars', '**'],
    ['ticks', '` '],
    ['brackets', '[]('],
    ['quotes', '> '],
    ['items', '- '],
    ['cells', '|'],
    ['underscores', '_a '],
  ])('that is 29,000 characters of %s does not hold the page up', async (_, piece) => {
    const { page } = await visit()
    await changing(page, (body) => ({ ...body, answer: piece.repeat(29_000 / piece.length) }))
    const startedMs = performance.now()
    await ask(page, STRONG)
    expect(performance.now() - startedMs).toBeLessThan(5000)
  })
})

describe('a collection', () => {
  it('is typed by whoever has no key, and asked from then on', async () => {
    await ingest(
      site.gate.url,
      site.gate.adminToken,
      [{ id: 'r.md', text: 'The launch code of the rocket is 7421.' }],
      'rockets',
    )
    const { page, complaints } = await visit()
    expect(await page.getByRole('textbox', { name: 'Collection' }).inputValue()).toBe('default')
    await page.getByRole('textbox', { name: 'Collection' }).fill('rockets')
    await page.getByRole('textbox', { name: 'Collection' }).press('Tab')
    await ask(page, 'What is the launch code of the rocket?')
    expect(await page.locator('.answer').innerText()).toContain('7421')
    expect(await fact(page, 'Collection').innerText()).toBe('rockets')
    // The examples are about other documents.
    expect(await page.getByRole('group', { name: 'Examples' }).isVisible()).toBe(false)
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Collection' }).inputValue()).toBe('rockets')
    expect(complaints).toEqual([])
  })

  it('that does not exist is an error like any other', async () => {
    const { page } = await visit()
    await page.getByRole('textbox', { name: 'Collection' }).fill('never-made')
    await ask(page, STRONG)
    expect(await fact(page, 'Code').innerText()).toBe('collection_not_found')
  })

  it('is chosen from a list by whoever has a key', async () => {
    await ingest(
      site.gate.url,
      site.gate.adminToken,
      [{ id: 'r.md', text: 'The launch code of the rocket is 7421.' }],
      'rockets',
    )
    const { page, complaints } = await visit()
    await useKey(page, site.gate.adminToken)
    const list = page.getByRole('combobox', { name: 'Collection' })
    expect(await list.locator('option').allInnerTexts()).toEqual(expect.arrayContaining(['default', 'rockets']))
    await list.selectOption('rockets')
    await ask(page, 'What is the launch code of the rocket?')
    expect(await page.locator('.answer').innerText()).toContain('7421')
    expect(complaints).toEqual([])
  })
})

async function useKey(page: Page, key: string): Promise<void> {
  await openAccess(page)
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key)
  await page.getByRole('textbox', { name: 'Key', exact: true }).press('Enter')
  await expect.poll(() => page.locator('#key-state').innerText()).not.toContain('as anybody')
}

async function openAccess(page: Page): Promise<void> {
  const access = page.locator('#access')
  if ((await access.getAttribute('open')) === null) await access.locator('> summary').click()
}

describe('a key', () => {
  it('goes with every question, is kept by the tab alone, and is forgotten when told', async () => {
    const { page, context, complaints } = await visit()
    const sent: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/ask')) sent.push(request.headers()['authorization'])
    })
    await ask(page, STRONG)
    await useKey(page, site.gate.adminToken)
    expect(await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('')
    await ask(page, STRONG)
    await page.reload()
    await expect.poll(() => page.getByRole('combobox', { name: 'Collection' }).count()).toBe(1)
    await ask(page, STRONG)
    expect(sent).toEqual([undefined, `Bearer ${site.gate.adminToken}`, `Bearer ${site.gate.adminToken}`])
    expect(await page.content()).not.toContain(site.gate.adminToken)
    expect(page.url()).not.toContain(site.gate.adminToken)
    expect(await page.evaluate(() => ({ local: { ...localStorage }, cookies: document.cookie }))).toEqual({
      local: {},
      cookies: '',
    })
    const other = await context.newPage()
    await other.goto(site.gate.url)
    expect(await other.evaluate(() => ({ ...sessionStorage }))).toEqual({})

    await openAccess(page)
    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await page.locator('#key-state').innerText()).toContain('as anybody')
    expect(await page.evaluate(() => sessionStorage.getItem('rag-gate.key'))).toBe(null)
    expect(await page.getByRole('form', { name: 'Add documents' }).isVisible()).toBe(false)
    await ask(page, STRONG)
    expect(sent.at(-1)).toBeUndefined()
    expect(complaints).toEqual([])
  })

  it('that is wrong is told, and not kept', async () => {
    const { page } = await visit()
    await useKey(page, 'rg_wrong')
    expect(await page.locator('#key-state').innerText()).toBe('The gate does not accept this key.')
    expect(await page.evaluate(() => sessionStorage.getItem('rag-gate.key'))).toBe(null)
    await useKey(page, 'žluťoučký')
    expect(await page.locator('#key-state').innerText()).toContain('no key')
    await ask(page, STRONG)
    expect(await page.locator('#result').getAttribute('class')).toMatch(/pass|advise/)
  })

  it('that may only ask lists nothing and adds nothing', async () => {
    const made = await fetch(`${site.gate.url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.gate.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'asks', scopes: ['ask'] }),
    })
    const { token } = (await made.json()) as { token: string }
    const { page } = await visit()
    await useKey(page, token)
    expect(await page.locator('#key-state').innerText()).toContain('neither list collections nor add documents')
    expect(await page.getByRole('textbox', { name: 'Collection' }).isVisible()).toBe(true)
    expect(await page.locator('#document-form').isVisible()).toBe(false)
    await ask(page, STRONG)
    expect(await page.locator('#result').getAttribute('class')).toMatch(/pass|advise/)
  })
})

describe('documents', () => {
  it('are added from files and from a text, named when they cannot be, and answer questions at once', async () => {
    const { page, complaints } = await visit()
    await useKey(page, site.gate.adminToken)
    await page.locator('#files').setInputFiles([
      {
        name: 'oxygen.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from('---\ntitle: "Life support"\n---\nThe oxygen lasts for nine days.\n'),
      },
      { name: 'manual.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') },
      { name: 'broken.txt', mimeType: 'text/plain', buffer: Buffer.from([0xff]) },
    ])
    await page.getByLabel('Or a text, in Markdown').fill('# Hatch\n\nThe hatch opens inwards.')
    await page.getByLabel('Its id').fill('hatch.md')
    await page.getByLabel('Into the collection').fill('station')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('#taken .pass').first().waitFor()
    const lines = (await page.locator('#taken li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(lines).toEqual([
      'Not taken manual.pdf Markdown, text and HTML can be read here; the command line reads more.',
      'Not taken broken.txt It is not UTF-8, or cannot be read.',
      'Taken oxygen.md added, 1 passage in station',
      'Taken hatch.md added, 1 passage in station',
    ])
    expect(await page.getByRole('combobox', { name: 'Collection' }).inputValue()).toBe('station')
    await ask(page, 'How long does the oxygen last?')
    expect(await page.locator('.answer').innerText()).toContain('nine days')
    expect(await page.locator('#source-1').innerText()).toContain('Life support')
    expect(complaints).toEqual([])
  })

  it('that the gate does not take are named with its words', async () => {
    const { page } = await visit()
    await useKey(page, site.gate.adminToken)
    await page.getByLabel('Or a text, in Markdown').fill('Text.')
    await page.getByLabel('Its id').fill('x'.repeat(600))
    await page
      .locator('#files')
      .setInputFiles([{ name: 'valve.txt', mimeType: 'text/plain', buffer: Buffer.from('The valve closes by hand.') }])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect.poll(() => page.locator('#taken').innerText()).toContain('document_id: id must be')
    expect(await page.locator('#taken').innerText()).toContain('valve.txt added, 1 passage in default')
    // What was not taken can be mended.
    expect(await page.getByLabel('Or a text, in Markdown').inputValue()).toBe('Text.')
  })

  it('that are none send nothing', async () => {
    const { page, complaints } = await visit()
    await useKey(page, site.gate.adminToken)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    expect(await page.locator('#taken').innerText()).toContain('Choose a file, or paste a text.')
    expect(complaints).toEqual([])
  })
})

describe('an error', () => {
  it('of the gate is shown with code and request id, and can be tried again', async () => {
    const { page } = await visit()
    await ask(page, 'long '.repeat(20_000))
    expect(await page.getByRole('alert').innerText()).toContain('did not take this question')
    expect(await fact(page, 'Status').innerText()).toBe('413')
    expect(await fact(page, 'Code').innerText()).toBe('body_too_large')
    expect(await fact(page, 'Request').innerText()).toMatch(/^[0-9a-f-]{36}$/)
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
    await ask(page, STRONG)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('is shown when the gate is gone, and is over when it is back', async () => {
    const { page, context } = await visit()
    await context.setOffline(true)
    await ask(page, STRONG)
    expect(await page.getByRole('alert').innerText()).toContain('cannot be reached')
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('#result.pass, #result.advise').waitFor()
  })

  it('is shown when what answers is no gate', async () => {
    const { page } = await visit()
    await page.route('**/ask', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad</h1>' }),
    )
    await ask(page, STRONG)
    expect(await page.getByRole('alert').innerText()).toContain('could not answer')
    expect(await fact(page, 'Status').innerText()).toBe('502')
  })
})

describe('with the keyboard alone', () => {
  it('one asks, lands on the answer, follows a citation, and returns to the question', async () => {
    const { page } = await visit()
    await page.keyboard.press('Tab')
    expect(await activeId(page)).toBe('question')
    await page.keyboard.type(STRONG)
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await activeId(page)).toBe('asked')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('[1]')
    await page.keyboard.press('Enter')
    await expect.poll(() => activeId(page)).toBe('source-1')
    await page.keyboard.press('Escape')
    expect(await activeId(page)).toBe('question')
    await page.keyboard.type(WEATHER)
    await page.keyboard.press('Enter')
    await page.locator('#result.refuse').waitFor()
    expect(await page.locator('#asked').innerText()).toBe(WEATHER)
  })

  it('every stop shows its focus', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    await page.keyboard.press('Escape')
    const outlines: string[] = []
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(() => document.activeElement === document.body)) break
      outlines.push(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle))
    }
    // Ask, three examples, the collection, a citation, the evidence, the history.
    expect(outlines.length).toBeGreaterThan(7)
    expect(new Set(outlines)).toEqual(new Set(['solid']))
  })

  it('an empty question is not sent', async () => {
    const { page } = await visit()
    await questionBox(page).fill('   ')
    await page.keyboard.press('Enter')
    expect(await activeId(page)).toBe('question')
    expect(await page.locator('#result').isVisible()).toBe(false)
  })
})

describe('for assistive technology', () => {
  it('there are landmarks, a labelled text box, a live region and names for everything', async () => {
    const { page } = await visit()
    expect(await page.getByRole('banner').count()).toBe(1)
    expect(await page.getByRole('main').count()).toBe(1)
    expect(await page.getByRole('textbox', { name: 'Ask the documents' }).count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Ask', exact: true }).count()).toBe(1)
    expect(await page.getByRole('status').getAttribute('aria-live')).toBe('polite')
    await ask(page, STRONG)
    expect(await page.getByRole('status').innerText()).toMatch(/^(Pass|Advise), \w+ confidence, in \d+ ms/)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('hono-rag-gate')
    const tree = await page.getByRole('main').ariaSnapshot()
    expect(tree).toContain(`article "${STRONG}"`)
    expect(tree).toContain('heading "Gates" [level=3]')
    expect(tree).toContain('region "Asked in this session"')
  })

  it.each(['light', 'dark'] as const)('every text has enough contrast in %s colours', async (colorScheme) => {
    const { page } = await visit({ colorScheme })
    expect(await lowContrasts(page)).toEqual([])
    await ask(page, STRONG)
    await ask(page, WEATHER)
    expect(await lowContrasts(page)).toEqual([])
  })
})

describe('axe finds nothing wrong', () => {
  const views = (['light', 'dark'] as const).flatMap((scheme) => [1280, 360].map((width) => ({ scheme, width })))

  it.each(views)('in $scheme colours, $width wide', async ({ scheme, width }) => {
    const { page } = await visit({ colorScheme: scheme, viewport: { width, height: 800 } })
    expect(await violations(page)).toEqual([])
    await useKey(page, site.gate.adminToken)
    await page.getByLabel('Or a text, in Markdown').fill('Pumps stop.')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('#taken .pass').waitFor()
    expect(await violations(page)).toEqual([])
    await ask(page, STRONG)
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
    expect(await violations(page)).toEqual([])
    await changing(page, (body) => ({ ...body, closest: [{ title: 'Gate' }], caution: 'Verify this.', ...ADVISORY }))
    await ask(page, WEATHER)
    expect(await violations(page)).toEqual([])
    await page.unroute('**/ask')
    await ask(page, 'long '.repeat(20_000))
    expect(await violations(page)).toEqual([])
  })
})

/** Texts under 4.5:1 (WCAG 2.2, 1.4.3), as far as colours in the page tell. */
function lowContrasts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string): number => {
      const [r = 0, g = 0, b = 0] = channels(color).map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      )
      return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const backdrop = (element: Element | null): string => {
      if (element === null) return 'rgb(255, 255, 255)'
      const color = getComputedStyle(element).backgroundColor
      return channels(color)[3] === 0 ? backdrop(element.parentElement) : color
    }
    return [...document.body.querySelectorAll('*')].flatMap((element) => {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '')
      if (!own || !element.checkVisibility()) return []
      const [text, ground] = [luminance(getComputedStyle(element).color), luminance(backdrop(element))]
      const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
      return contrast < 4.5 ? [`${contrast.toFixed(2)} ${element.textContent}`] : []
    })
  })
}

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
    await page.route('**/ask', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { sources: object[] }
      const sources = ['javascript:alert(1)', 'data:text/html,x', '//example.com', 'https://example.com/a'].map(
        (source, at) => ({ ...body.sources[0], number: at + 1, source }),
      )
      await route.fulfill({ response, json: { ...body, answer: 'Four [1] [2] [3] [4], and [99].', sources } })
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
    const modules = ['page', 'access', 'answer', 'elements', 'markdown'].map((name) => `/${name}.js`)
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

describe('on a narrow screen', () => {
  it('nothing is cut off or scrolls sideways', async () => {
    const { page } = await visit({ viewport: { width: 360, height: 740 } })
    const overflow = (): Promise<number> =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(await overflow()).toBeLessThanOrEqual(0)
    await ask(page, STRONG)
    await ask(page, WEATHER)
    expect(await overflow()).toBeLessThanOrEqual(0)
    await ask(page, 'unbroken'.repeat(60))
    expect(await overflow()).toBeLessThanOrEqual(0)
  })
})

describe('on a phone', () => {
  it('an answer and its sources are short: the rest begins folded, and opens', async () => {
    const { page } = await visit({ viewport: { width: 360, height: 740 } })
    const height = (): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight)
    expect(await height()).toBeLessThan(1000)
    await ask(page, STRONG)
    expect(await height()).toBeLessThan(1600)
    expect(await page.locator('.chunks').first().isVisible()).toBe(false)
    await page.getByRole('heading', { name: /^Evidence/ }).click()
    expect(await page.locator('.chunks').first().isVisible()).toBe(true)
    await page.reload()
    await ask(page, WEATHER)
    expect(await height()).toBeLessThan(1900)
  })
})

describe('the focus', () => {
  it('is a thin line around what can be used, and no frame around what was asked', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    const outline = (): Promise<string> =>
      page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body)
        return `${outlineStyle} ${outlineWidth}`
      })
    expect(await activeId(page)).toBe('asked')
    expect(await outline()).toMatch(/^none/)
    await page.keyboard.press('Escape')
    expect(await outline()).toBe('solid 1px')
    await page.keyboard.press('Tab')
    expect(await outline()).toBe('solid 2px')
  })
})

const screenshots = process.env['SCREENSHOTS'] ?? ''

describe.skipIf(screenshots === '')('screenshots', () => {
  const views = (['light', 'dark'] as const).flatMap((scheme) => [1280, 360].map((width) => ({ scheme, width })))

  it.each(views)('$scheme, $width wide', async ({ scheme, width }) => {
    mkdirSync(screenshots, { recursive: true })
    const { page } = await visit({ colorScheme: scheme, viewport: { width, height: width === 360 ? 740 : 900 } })
    const shoot = async (name: string): Promise<void> => {
      const image = await page.screenshot({ path: join(screenshots, `${name}-${scheme}-${width}.png`), fullPage: true })
      expect(image.byteLength).toBeGreaterThan(10_000)
    }
    await shoot('start')
    await ask(page, STRONG)
    await shoot('pass')
    await ask(page, WEATHER)
    await shoot('refuse')
    await askUntilCached(page, STRONG)
    await shoot('cached')
    await ask(page, 'long '.repeat(20_000))
    await shoot('error')
    await useKey(page, site.gate.adminToken)
    await shoot('key')
  })
})
