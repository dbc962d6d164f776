/** Decisions on the dashboard: listed, live, one by one, labelled, and what they say of the documents. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { XSS_PAYLOADS } from '../fixtures/xss-payloads.ts'
import { violations } from './axe.ts'
import { dashboardSite, open, recordTraffic } from './dashboard-site.ts'

const site = dashboardSite()
const { api, ask, visit } = site

beforeAll(() => recordTraffic(site))

describe('the view of decisions', () => {
  it('lists and filters decisions, and opens a decision with its gates', async () => {
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

  it('reports a decision that does not exist', async () => {
    const { page } = await visit()
    await page.goto(`${site.gate.url}/dashboard#/decisions/nothing`)
    expect(await page.getByRole('alert').innerText()).toContain('There is no such decision')
    await page.goto(`${site.gate.url}/dashboard#/decisions?verdict=nonsense`)
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('verdict must be one of')
  })
})

describe('the file of decisions', () => {
  it('has those of any number of pages', async () => {
    const { page } = await visit()
    await open(page, 'Decisions')
    await page.evaluate(() => {
      const asked = globalThis.fetch
      let pages = 0
      globalThis.fetch = async (path, init) => {
        if (!String(path).includes('format=csv')) return asked(path, init)
        return new Response(`id\r\n${++pages}\r\n`, { headers: pages <= 1_000 ? { 'x-next-cursor': `${pages}` } : {} })
      }
    })
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    expect([lines.length, lines.at(-1)]).toEqual([1_002, '1001'])
  })
})

describe('the live view', () => {
  it('shows decisions as they arrive, sends the key in a header, and stops when told or left', async () => {
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
    await expect.poll(() => state.innerText()).toBe('Following. 1 decision arrived.')
    const { decisions } = (await api('/v1/decisions?limit=1')) as { decisions?: { id: string }[] }
    expect(await rows.first().locator('a').getAttribute('href')).toBe(`#/decisions/${decisions![0]!.id}`)
    expect(await rows.count()).toBe(21)
    await page.getByRole('button', { name: 'Pause' }).click()
    await ask('How long is a refusal cached?')
    await page.waitForTimeout(2_500)
    expect([await state.innerText(), await rows.count()]).toEqual(['Paused. 1 decision arrived.', 21])
    await page.getByRole('button', { name: 'Go on' }).click()
    await expect.poll(() => state.innerText()).toBe('Following. 2 decisions arrived.')
    expect(asked).toHaveLength(2)
    expect(asked[1]).toContain(`since=${decisions![0]!.id}`)
    await open(page, 'Overview')
    expect(asked.join()).not.toContain(site.gate.adminToken)
    expect(complaints).toEqual([])
  })

  it('begins with the latest decisions and follows from now on, whatever period was shown before', async () => {
    const { page } = await visit()
    await page.goto(`${site.gate.url}/dashboard#/overview?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z`)
    await open(page, 'Live')
    expect(await page.locator('.list tbody tr').count()).toBe(20)
    expect(await page.getByRole('radio').count()).toBe(0)
    const state = page.getByRole('region', { name: 'Live' }).getByRole('status')
    await ask('How long is a refusal cached?')
    await expect.poll(() => state.innerText()).toBe('Following. 1 decision arrived.')
  })

  it('continues after the latest decision, also if an earlier one arrived after it, and shows each once', async () => {
    const { page } = await visit()
    const { decisions } = (await api('/v1/decisions?limit=2')) as { decisions?: { id: string; at: string }[] }
    const late = { ...decisions![1]!, id: 'a-late-one' }
    const since: (string | null)[] = []
    await page.route('**/v1/decisions/live*', (route) => {
      since.push(new URL(route.request().url()).searchParams.get('since'))
      const before = { ...late, id: 'before-the-list', at: new Date(0).toISOString() }
      const told = [before, ...decisions!, late].map((decision) => `${JSON.stringify(decision)}\n`)
      return route.fulfill({ body: told.join('') })
    })
    await open(page, 'Live')
    await expect.poll(() => since.length, { timeout: 10_000 }).toBe(2)
    expect(since).toEqual([decisions![0]!.id, decisions![0]!.id])
    const live = page.getByRole('region', { name: 'Live' })
    await expect.poll(() => live.getByRole('status').innerText()).toBe('Following. 1 decision arrived.')
    expect(await live.locator('tbody tr').count()).toBe(21)
  })

  it('waits between responses that end at once', async () => {
    const { page } = await visit()
    let asked = 0
    await page.route('**/v1/decisions/live*', (route) => {
      asked++
      return route.fulfill({ body: '' })
    })
    await open(page, 'Live')
    await page.waitForTimeout(1_500)
    expect(asked).toBe(1)
  })

  it('reports that the gate is down, and continues when it is up', async () => {
    const { page } = await visit()
    await page.route('**/v1/decisions/live*', (route) => route.abort())
    await open(page, 'Live')
    const state = page.getByRole('region', { name: 'Live' }).getByRole('status')
    await expect.poll(() => state.innerText()).toContain('cannot be reached')
    await page.unroute('**/v1/decisions/live*')
    await expect.poll(() => state.innerText()).toContain('Following')
  })
})

describe('badge and banner of a policy', () => {
  it('are shown as recorded with the decision', async () => {
    const { page, complaints } = await visit()
    const { decisions } = (await api('/v1/decisions?limit=200')) as { decisions?: { id: string; policy_id: string }[] }
    const { id } = decisions!.find(({ policy_id: policy }) => policy.startsWith('weighted-signals@'))!
    await page.goto(`${site.gate.url}/dashboard#/decisions/${id}`)
    expect(await page.locator('.mark').innerText()).toMatch(/^🔴 Low Confidence \(0\.\d\d\) - Expert Review Required$/u)
    expect(await violations(page)).toEqual([])
    const banner = '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.'
    await page.route(`**/v1/decisions/${id}?*`, async (route) => {
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

describe('the view of weak spots', () => {
  it('shows questions without their words, documents with their trend, and policies with their history', async () => {
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
    await api('/v1/collections/default/policy', 'PUT', { policy: null, why: 'As the others' })
    await open(page, 'Policies')
    expect(await page.getByRole('main').innerText()).toContain('A trial')
    const choice = page.getByRole('row').filter({ hasText: 'As the others' })
    expect(await choice.innerText()).toMatch(/That of the tenant\s+default/)
    expect(complaints).toEqual([])
  })
})

describe('labels of a reviewer', () => {
  it('are stored, listed and counted', async () => {
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
