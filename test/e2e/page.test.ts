/** The page at `/`, in a real browser, against a real Worker. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type GateDocument, ingest } from '../../src/cli/gate-client.ts'
import { type LocalGate, startLocalGate } from '../../scripts/local-gate.ts'
import { type LaunchedBrowser, launchBrowser } from './browser.ts'

const STRONG = 'How long is a strong answer cached?'
const WEATHER = 'What is the weather in Chicago?'
const HOSTILE_MARKUP = `<img src=x onerror="alert('title')"><script>alert('script')</script>`

const DOCUMENTS: readonly GateDocument[] = [
  {
    id: 'cache.md',
    title: 'Caching answers',
    source: 'docs/cache.md',
    text: `# Caching answers

## Lifetimes

A strong answer is cached for one hour. A weaker answer is cached for ten minutes. A refusal is cached for one minute.

## Purging

Ingesting a document raises the corpus version of its collection, so that no older answer is found again.`,
  },
  {
    id: 'gate.md',
    title: 'The confidence gate',
    source: 'https://example.com/gate',
    text: `# The confidence gate

## What it does

The gate judges the evidence before a language model is called. Weak evidence is refused, and no model call is paid for.`,
  },
  {
    id: 'hostile.md',
    title: `Zebra ${HOSTILE_MARKUP}`,
    source: 'https://example.com/"><script>alert(1)</script>',
    text: `# Zebra ${HOSTILE_MARKUP}

The zebra protocol carries ${HOSTILE_MARKUP} in every quagga frame, see <a href="javascript:alert('link')">[1]</a>.`,
  },
]

let gate: LocalGate
let launched: LaunchedBrowser
const stateDirectory = mkdtempSync(join(tmpdir(), 'rag-gate-page-'))
const contexts: BrowserContext[] = []

beforeAll(async () => {
  // One after the other: the browser borrows the environment while it unpacks.
  gate = await startLocalGate({ stateDirectory })
  launched = await launchBrowser()
  await ingest(gate.url, gate.adminToken, DOCUMENTS)
})

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()))
})

afterAll(async () => {
  await launched?.close()
  await gate?.stop()
  rmSync(stateDirectory, { recursive: true, force: true })
})

/** A page, and everything that went wrong on it. */
interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  readonly complaints: string[]
}

async function visit(options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await launched.browser.newContext(options)
  contexts.push(context)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== gate.url) complaints.push(`elsewhere: ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective))
  })
  await page.goto(gate.url)
  return { page, context, complaints }
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox').fill(question)
  await page.getByRole('textbox').press('Enter')
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
    expect(await result.locator('.answer').innerText()).toBe('A strong answer is cached for one hour. [1]')
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
    await page.getByText(/^All \d+, as measured$/).click()
    expect(Number(await fact(page, 'Chunk count').innerText())).toBeGreaterThan(1)
    const first = page.locator('.chunks > li').first()
    expect(await first.locator('.scores dt').allInnerTexts()).toEqual(['convex', 'cosine', 'bm25'])
    for (const score of await first.locator('.scores .number').allInnerTexts()) expect(Number(score)).toBeGreaterThan(0)
    await first.getByText('Read the passage').click()
    expect(await first.locator('pre').innerText()).toContain('A weaker answer is cached for ten minutes.')
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
    // Ask, three examples, a citation, the evidence, the history.
    expect(outlines.length).toBeGreaterThan(6)
    expect(new Set(outlines)).toEqual(new Set(['solid']))
  })

  it('an empty question is not sent', async () => {
    const { page } = await visit()
    await page.getByRole('textbox').fill('   ')
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
    const question = `What does the zebra protocol carry in every quagga frame ${HOSTILE_MARKUP}?`
    await ask(page, question)
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click()
    const shown = await page.getByRole('main').innerText()
    expect(shown.split(HOSTILE_MARKUP).length).toBeGreaterThan(3)
    expect(await page.locator('main img, main script, main [onerror], main a[href^="javascript:"]').count()).toBe(0)
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
    for (const path of ['/', '/page.js', '/style.css', '/favicon.svg']) {
      const { status, headers } = await fetch(`${gate.url}${path}`)
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
  })
})
