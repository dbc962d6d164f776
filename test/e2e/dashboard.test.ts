/** The dashboard, in a real browser, against a real Worker with recorded traffic. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { violations } from './axe.ts'
import { GATE_DOCUMENTS, type Visit, visitedSite } from './visited-site.ts'
import { XSS_PAYLOADS } from '../fixtures/xss-payloads.ts'

const QUESTIONS = [
  'How long is a strong answer cached?',
  'How long is a strong answer cached?',
  'How long is a refusal cached?',
  'What does the gate judge before a language model is called?',
  'What raises the corpus version of a collection?',
  'Is weak evidence paid for?',
  'What is the weather in Chicago?',
  'What is the weather in Chicago?',
  'Who won the cup in 1974?',
  'How do I bake bread?',
]

const site = visitedSite(GATE_DOCUMENTS)

beforeAll(async () => {
  await api('/v1/policy', 'PUT', { policy: 'balanced-strict', why: 'A trial' })
  await ask('How long is a weaker answer cached?')
  await api('/v1/policy', 'PUT', { policy: 'weighted-signals' })
  await ask('How long is a weaker answer cached?')
  await api('/v1/policy', 'PUT', { policy: null })
  for (const question of QUESTIONS) await ask(question)
  // One of each payload as a reason for a policy, and as a question.
  for (const payload of XSS_PAYLOADS) {
    await api('/v1/policy', 'PUT', { policy: null, why: payload })
    await ask(payload.slice(0, 300))
  }
})

async function ask(question: string): Promise<void> {
  const response = await fetch(`${site.gate.url}/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question }),
  })
  // Some payloads hold what no question may.
  if (response.status >= 500) throw new Error(`${response.status} for ${question}`)
}

async function api(path: string, method = 'GET', body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${site.gate.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${site.gate.adminToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`)
  // Whatever these paths answer is an object.
  return (await response.json()) as Record<string, unknown>
}

async function visit({
  signedIn = true,
  ...options
}: BrowserContextOptions & { readonly signedIn?: boolean } = {}): Promise<Visit> {
  const visited = await site.visit('/dashboard', options)
  const { page } = visited
  if (signedIn) {
    await page.getByLabel('Token or key').fill(site.gate.adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  }
  return visited
}

async function open(page: Page, name: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name })
  const address = (await link.getAttribute('href')) ?? ''
  await link.click()
  await page.waitForURL((url) => url.hash === address)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.locator('main:not([aria-busy])').waitFor()
}

const tile = (page: Page, name: string): Locator =>
  page.locator('.tile').filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })

interface Stats {
  decisions: number
  by_verdict: Record<string, number>
  by_cache: Record<string, number>
  by_reason: Record<string, number>
  savings: { calls_avoided_by_refusal: number; calls_avoided_by_cache: number }
}

/** A share as the page writes it. */
function share(part: number, whole: number, of: string): string {
  const percent = (part / whole) * 100
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} % ${of}`
}

describe('signing in', () => {
  it('needs a key that counts, keeps it in this tab alone, and forgets it', async () => {
    const { page, complaints } = await visit({ signedIn: false })
    await page.getByLabel('Token or key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).toBe('This token or key does not count.')
    expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([])
    await page.getByLabel('Token or key').fill(site.gate.adminToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 1, ''])
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.getByLabel('Token or key').isVisible()).toBe(true)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    expect(page.url()).not.toContain(site.gate.adminToken)
  })
})

describe('the overview', () => {
  it('shows the figures that the API has', async () => {
    const { page, complaints } = await visit()
    const stats = (await api('/v1/stats')) as unknown as Stats
    expect(await tile(page, 'Decisions').locator('strong').innerText()).toBe(String(stats.decisions))
    expect(await tile(page, 'Refused').locator('span').innerText()).toBe(`${stats.by_verdict['refuse']} questions`)
    expect(await tile(page, 'From the cache').locator('span').innerText()).toBe(`${stats.by_cache['hit']} answers`)
    expect(await tile(page, 'Calls avoided').locator('strong').innerText()).toBe(
      String(stats.savings.calls_avoided_by_refusal + stats.savings.calls_avoided_by_cache),
    )
    const reasons = page.getByRole('region', { name: 'Reasons' }).locator('li')
    expect(await reasons.count()).toBe(Object.keys(stats.by_reason).length)
    expect(await page.getByRole('region', { name: 'Recording' }).innerText()).toContain('Every decision')
    expect(complaints).toEqual([])
  })

  it('shows the figures that the database has, asked past the Worker', async () => {
    const { page } = await visit()
    const count = (where: string): number => Number(site.sql(`SELECT count(*) FROM decisions WHERE ${where}`))
    const all = count('true')
    expect(all).toBeGreaterThan(50)
    expect(await tile(page, 'Decisions').locator('strong').innerText()).toBe(String(all))
    expect(await tile(page, 'Decisions').locator('span').innerText()).toBe(
      share(count("verdict = 'pass'"), all, 'pass'),
    )
    const refused = count("verdict = 'refuse'")
    expect(await tile(page, 'Refused').locator('span').innerText()).toBe(`${refused} questions`)
    expect(await tile(page, 'Calls avoided').locator('strong').innerText()).toBe(String(count('saved IS NOT NULL')))
    const mean = Number(site.sql('SELECT avg(confidence) FROM decisions'))
    expect(Number(await tile(page, 'Mean confidence').locator('strong').innerText())).toBe(Math.floor(mean * 100) / 100)
    for (const reason of ['passed', 'confidence_low']) {
      const bar = page.getByRole('region', { name: 'Reasons' }).locator('li', {
        has: page.locator(`a[href$="reason=${reason}"]`),
      })
      expect(await bar.locator('.number').first().innerText()).toBe(String(count(`reason = '${reason}'`)))
    }
  })

  it('says what another threshold would have refused', async () => {
    const { page } = await visit()
    const slider = page.getByLabel('Try another threshold')
    await slider.focus()
    await page.keyboard.press('End')
    const all = (await api('/v1/stats')) as unknown as Stats
    expect(await page.locator('#counterfactual').innerText()).toContain(`would refuse 100 % (${all.decisions})`)
    await page.keyboard.press('Home')
    expect(await page.locator('#counterfactual').innerText()).toContain('would refuse –'.replace('–', '0 % (0)'))
  })

  it('has the figures of the chart as a table, and as a file', async () => {
    const { page } = await visit()
    await page.getByText('As a table').click()
    expect(await page.getByRole('table', { name: 'Decisions over time' }).locator('tbody tr').count()).toBeGreaterThan(
      0,
    )
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).first().click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('decisions-over-time.csv')
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/^start,decisions,pass,/)
  })

  it('refreshes by itself, keeps what was opened, and stops when told', async () => {
    const { page } = await visit()
    await page.clock.install()
    await page.getByText('As a table').click()
    const before = Number(await tile(page, 'Decisions').locator('strong').innerText())
    await ask('How long is a strong answer cached?')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByText('As a table').click()
    expect(Number(await tile(page, 'Decisions').locator('strong').innerText())).toBe(before + 1)
    await ask('How long is a strong answer cached?')
    await page.clock.fastForward(16_000)
    await expect.poll(async () => Number(await tile(page, 'Decisions').locator('strong').innerText())).toBe(before + 2)
    expect(await page.locator('details[data-name=series]').getAttribute('open')).not.toBeNull()
  })
})

describe('the decisions', () => {
  it('are listed, filtered, and opened with their gates', async () => {
    const { page, complaints } = await visit()
    await open(page, 'Decisions')
    const rows = page.locator('.list tbody tr')
    expect(await rows.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThan(50)
    await page.getByLabel('Cache').selectOption('hit')
    await expect
      .poll(async () => new Set(await page.locator('.list td[data-column=Cache]').allInnerTexts()))
      .toEqual(new Set(['hit']))
    await page.getByLabel('Cache').selectOption('')
    await page.getByLabel('Verdict').selectOption('refuse')
    await expect.poll(() => page.url()).toContain('verdict=refuse')
    await expect
      .poll(async () => new Set(await page.locator('.list .badge').allInnerTexts()))
      .toEqual(new Set(['Refuse']))
    await page.locator('.list a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
    expect(await page.locator('.findings li').first().innerText()).toContain('confidence-range')
    expect(await page.getByRole('region', { name: 'Gates' }).innerText()).toMatch(
      /Measured 0\.\d{4}, asked for 0\.5500/,
    )
    await page.getByText('The policy that decided').click()
    expect(await page.locator('details[data-name=policy] pre').innerText()).toContain('"name": "balanced"')
    expect(complaints).toEqual([])
  })

  it('that are not there are said to be so', async () => {
    const { page } = await visit()
    await page.goto(`${site.gate.url}/dashboard#/decisions/nothing`)
    expect(await page.getByRole('alert').innerText()).toContain('There is no such decision')
    await page.goto(`${site.gate.url}/dashboard#/decisions?verdict=nonsense`)
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('verdict must be one of')
  })
})

describe('live', () => {
  it('shows decisions as they arrive, with the key in a header, and stops when told or left', async () => {
    const { page, complaints } = await visit()
    const asked: string[] = []
    page.on('request', (request) => {
      if (!request.url().includes('/v1/decisions/live')) return
      asked.push(request.url())
      expect(request.headers()['authorization']).toBe(`Bearer ${site.gate.adminToken}`)
    })
    await open(page, 'Live')
    const rows = page.locator('.list tbody tr')
    const state = page.getByRole('region', { name: 'Live' }).getByRole('status')
    expect(await rows.count()).toBe(20)
    expect(await violations(page)).toEqual([])
    await ask('How long is a refusal cached?')
    await expect.poll(() => state.innerText(), { timeout: 8_000 }).toBe('Following. 1 decision arrived.')
    const { decisions } = (await api('/v1/decisions?limit=1')) as { decisions?: { id: string }[] }
    expect(await rows.first().locator('a').getAttribute('href')).toBe(`#/decisions/${decisions![0]!.id}`)
    expect(await rows.count()).toBe(21)
    await page.getByRole('button', { name: 'Pause' }).click()
    await ask('How long is a refusal cached?')
    await page.waitForTimeout(2_500)
    expect([await state.innerText(), await rows.count()]).toEqual(['Paused. 1 decision arrived.', 21])
    await page.getByRole('button', { name: 'Go on' }).click()
    await expect.poll(() => state.innerText(), { timeout: 8_000 }).toBe('Following. 2 decisions arrived.')
    expect(asked).toHaveLength(2)
    expect(asked[1]).toContain(`since=${decisions![0]!.id}`)
    await open(page, 'Overview')
    expect(asked.join()).not.toContain(site.gate.adminToken)
    expect(complaints).toEqual([])
  })

  it('says that the gate is away, and goes on when it is back', async () => {
    const { page } = await visit()
    await page.route('**/v1/decisions/live*', (route) => route.abort())
    await open(page, 'Live')
    const state = page.getByRole('region', { name: 'Live' }).getByRole('status')
    await expect.poll(() => state.innerText()).toContain('cannot be reached')
    await page.unroute('**/v1/decisions/live*')
    await expect.poll(() => state.innerText(), { timeout: 10_000 }).toContain('Following')
  })
})

describe('badge and banner of a profile', () => {
  it('are those of the decision', async () => {
    const { page, complaints } = await visit()
    const { decisions } = (await api('/v1/decisions?limit=200')) as { decisions?: { id: string; policy_id: string }[] }
    const { id } = decisions!.find(({ policy_id: policy }) => policy.startsWith('weighted-signals@'))!
    await page.goto(`${site.gate.url}/dashboard#/decisions/${id}`)
    expect(await page.locator('.mark').innerText()).toMatch(/^🔴 Low Confidence \(0\.\d\d\) - Mandatory Review$/u)
    expect(await violations(page)).toEqual([])
    const banner = '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.'
    await page.route(`**/v1/decisions/${id}`, async (route) => {
      const response = await route.fetch()
      const told = { badge: { look: 'warning', text: '⚠ Medium Confidence' }, banner }
      await route.fulfill({ response, json: { ...((await response.json()) as object), told } })
    })
    await page.reload()
    await page.locator('.banner').waitFor()
    expect(await page.locator('.banner').innerText()).toBe(banner)
    expect(await page.locator('.mark').innerText()).toBe('⚠ Medium Confidence')
    expect(await violations(page)).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('what is weak', () => {
  it('is shown: questions without their words, documents with their trend, policies with their history', async () => {
    const { page, complaints } = await visit()
    await open(page, 'Content gaps')
    const gaps = page.getByRole('table', { name: 'Questions refused most often' }).locator('tbody tr')
    const asked = (await api('/v1/stats/content-gaps?limit=50')) as { content_gaps?: { refused: number }[] }
    expect(await gaps.count()).toBe(asked.content_gaps?.length)
    expect(await page.getByRole('main').innerText()).toContain('Only an HMAC of each question is kept')
    expect(await page.getByRole('main').innerText()).not.toContain('Chicago')
    await open(page, 'Documents')
    const names = await page.getByRole('table', { name: 'Documents by confidence' }).locator('tbody th').allInnerTexts()
    expect(names.map((name) => name.split(/\s/)[0]).sort()).toEqual(['cache.md', 'gate.md'])
    await open(page, 'Policies')
    expect(await page.getByRole('main').innerText()).toContain('A trial')
    expect(complaints).toEqual([])
  })
})

describe('labels', () => {
  it('of a reviewer are kept, listed, and counted', async () => {
    const { page, complaints } = await visit()
    await page.goto(`${site.gate.url}/dashboard#/decisions?verdict=refuse`)
    await page.locator('.list a').first().click()
    await page.getByLabel('Should have been answered').check()
    await page.getByLabel('Comment').fill(XSS_PAYLOADS[0]!)
    await page.getByRole('button', { name: 'Keep this label' }).click()
    await expect
      .poll(() => page.getByRole('form', { name: 'Your label' }).getByRole('status').innerText())
      .toBe('Kept: wrong.')
    await open(page, 'Feedback')
    const latest = page.getByRole('table', { name: 'Latest labels' })
    expect(await latest.innerText()).toContain(XSS_PAYLOADS[0]!)
    expect(await page.getByRole('table', { name: 'Error rates by policy' }).innerText()).toContain('0 right, 1 wrong')
    expect(complaints).toEqual([])
  })
})

describe('markup in what people wrote', () => {
  it(`is text: ${XSS_PAYLOADS.length} payloads`, async () => {
    const { page, complaints } = await visit()
    await open(page, 'Policies')
    const shown = await page.getByRole('table', { name: 'Who chose which policy' }).innerText()
    for (const payload of XSS_PAYLOADS) expect(squeezed(shown)).toContain(squeezed(payload))
    for (const name of ['Decisions', 'Content gaps', 'Documents']) await open(page, name)
    await page.goto(`${site.gate.url}/dashboard#/decisions/${encodeURIComponent(XSS_PAYLOADS[0]!)}`)
    await page.getByRole('alert').waitFor()
    expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).toBe(0)
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
  })
})

describe('markup in questions, titles and comments', () => {
  it(`is text: ${XSS_PAYLOADS.length} payloads each`, async () => {
    const { page, complaints } = await visit()
    const { decisions } = (await api('/v1/decisions?limit=100')) as { decisions?: { id: string }[] }
    for (const [at, comment] of XSS_PAYLOADS.entries()) {
      await api(`/v1/decisions/${decisions![at]!.id}/label`, 'PUT', { rating: 'right', comment })
    }
    await open(page, 'Feedback')
    const said = squeezed(await page.getByRole('table', { name: 'Latest labels' }).innerText())
    for (const payload of XSS_PAYLOADS) expect(said).toContain(squeezed(payload))

    // Where texts are kept a question is shown in its words, and a document by its id, which may be a title.
    await page.route('**/v1/stats/content-gaps?*', async (route) => {
      const [gap] = (await (await route.fetch()).json()).content_gaps as object[]
      await route.fulfill({ json: { content_gaps: XSS_PAYLOADS.map((text) => ({ ...gap, text, collection: text })) } })
    })
    await page.route('**/v1/stats/documents?*', async (route) => {
      const [document] = (await (await route.fetch()).json()).documents as object[]
      await route.fulfill({ json: { documents: XSS_PAYLOADS.map((text) => ({ ...document, document_id: text })) } })
    })
    for (const [view, table] of [
      ['Content gaps', 'Questions refused most often'],
      ['Documents', 'Documents by confidence'],
    ] as const) {
      await open(page, view)
      const shown = squeezed(await page.getByRole('table', { name: table }).innerText())
      for (const payload of XSS_PAYLOADS) expect(shown).toContain(squeezed(payload))
    }
    await page.route('**/v1/decisions/*', async (route) => {
      const response = await route.fetch()
      const recorded = (await response.json()) as Record<string, unknown>
      const all = XSS_PAYLOADS.join('\n')
      const told = { badge: { look: 'success', text: all }, banner: all }
      const json = { ...recorded, question_text: all, document_ids: XSS_PAYLOADS, told, model: all, route: all }
      await route.fulfill({ response, json })
    })
    await page.goto(`${site.gate.url}/dashboard#/decisions/${decisions![0]!.id}`)
    await page.locator('blockquote').waitFor()
    for (const place of ['blockquote', '.mark', '.banner', '.plain']) {
      const shown = squeezed(await page.locator(place).innerText())
      for (const payload of XSS_PAYLOADS) expect(shown, place).toContain(squeezed(payload))
    }
    expect(await page.locator('main img, main script, main iframe, main [onerror], main base').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

describe('with the keyboard alone', () => {
  it('one signs in, changes the view and the period, and opens a decision', async () => {
    const { page } = await visit({ signedIn: false })
    await page.keyboard.type(site.gate.adminToken)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    await page.getByRole('link', { name: 'Decisions', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.list').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Decisions')
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => (document.activeElement as HTMLSelectElement).name)).toBe('verdict')
    await page.getByRole('radio', { name: '24 hours' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true)
    await page.locator('main:not([aria-busy]) .list a').first().focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
  })
})

describe('for assistive technology', () => {
  it('there are landmarks, names for charts, tables and controls, and one heading of the first level', async () => {
    const { page } = await visit()
    for (const role of ['banner', 'navigation', 'main'] as const) expect(await page.getByRole(role).count()).toBe(1)
    expect(await page.getByRole('link', { name: 'Overview' }).getAttribute('aria-current')).toBe('page')
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll('svg[role=img], table, input, select, button')].flatMap((element) =>
        (element.getAttribute('aria-label') ??
        element.querySelector('caption')?.textContent ??
        element.closest('label')?.textContent ??
        document.querySelector(`label[for="${element.id}"]`)?.textContent ??
        element.textContent)
          ? []
          : [element.outerHTML.slice(0, 80)],
      ),
    )
    expect(unnamed).toEqual([])
  })

  it.each(['light', 'dark'] as const)(
    'axe finds nothing wrong in %s colours, and every text has contrast',
    async (colorScheme) => {
      const { page } = await visit({ colorScheme })
      for (const name of ['Overview', 'Decisions', 'Live', 'Content gaps', 'Documents', 'Feedback', 'Policies']) {
        await open(page, name)
        expect(await lowContrasts(page), name).toEqual([])
        expect(await violations(page), name).toEqual([])
      }
    },
  )
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
      if (!own || !element.checkVisibility() || element.tagName === 'title') return []
      const style = getComputedStyle(element)
      const [text, ground] = [
        luminance(element instanceof SVGElement ? style.fill : style.color),
        luminance(backdrop(element)),
      ]
      const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
      return contrast < 4.5 ? [`${contrast.toFixed(2)} ${element.textContent}`] : []
    })
  })
}

describe('on a narrow screen', () => {
  it('nothing scrolls sideways but wide tables in themselves', async () => {
    const { page } = await visit({ viewport: { width: 360, height: 740 } })
    for (const name of ['Overview', 'Decisions', 'Live', 'Content gaps', 'Documents', 'Feedback', 'Policies']) {
      await open(page, name)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect([name, overflow]).toEqual([name, 0])
    }
  })
})

const screenshots = process.env['SCREENSHOTS'] ?? ''

describe.skipIf(screenshots === '')('screenshots', () => {
  const views = (['light', 'dark'] as const).flatMap((scheme) => [1280, 390].map((width) => ({ scheme, width })))

  it.each(views)('$scheme, $width wide', async ({ scheme, width }) => {
    mkdirSync(screenshots, { recursive: true })
    const { page } = await visit({ colorScheme: scheme, viewport: { width, height: width === 390 ? 780 : 900 } })
    const shoot = async (name: string): Promise<void> => {
      const path = join(screenshots, `dashboard-${name}-${scheme}-${width}.png`)
      expect((await page.screenshot({ path, fullPage: true })).byteLength).toBeGreaterThan(5_000)
    }
    for (const name of ['Overview', 'Decisions', 'Live', 'Content gaps', 'Documents', 'Feedback', 'Policies']) {
      await open(page, name)
      await page.waitForTimeout(400)
      await shoot(name.toLowerCase().replace(' ', '-'))
    }
    await page.goto(`${site.gate.url}/dashboard#/decisions?verdict=refuse`)
    await page.locator('.list a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
    await shoot('decision')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await shoot('sign-in')
  })
})
