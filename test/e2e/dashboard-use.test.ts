/** How the dashboard is used: signing in, failures, its figures and addresses, several tenants; and that markup is shown as text. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { DEEP } from '../deep-run.ts'
import { XSS_PAYLOADS } from '../fixtures/xss-payloads.ts'
import { answerWith, dashboardSite, focused, open, recordTraffic, tile } from './dashboard-site.ts'
import { GATE_DOCUMENTS } from './visited-site.ts'

const site = dashboardSite()
const { api, ask, visit } = site

beforeAll(() => recordTraffic(site))

describe('signing in', () => {
  it('needs a valid key, keeps it in this tab only, and forgets it on request', async () => {
    const { page, complaints } = await visit({ token: null })
    await page.getByLabel('Token or key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).toBe('This token or key is not known.')
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

  it('is asked for again, with the reason, when the key expires, and returns to the view', async () => {
    const { page } = await visit()
    await open(page, 'Decisions')
    await page.route('**/v1/decisions*', (route) => route.fulfill({ status: 401, json: {} }))
    await page.getByRole('button', { name: 'Refresh' }).click()
    expect(await page.getByRole('alert').innerText()).toBe('This token or key is no longer valid.')
    expect([await focused(page), await page.title()]).toEqual(['key', 'Sign in · hono-rag-gate'])
    expect(await page.getByRole('main').getAttribute('aria-busy')).toBe(null)
    await page.unroute('**/v1/decisions*')
    await page.keyboard.type(site.gate.adminToken)
    await page.keyboard.press('Enter')
    await page.locator('.list').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it.runIf(DEEP)(
    'rejects a key that no header can contain, and an answer about an earlier key does not end a session',
    async () => {
      const { page } = await visit({ token: null })
      const key = page.getByLabel('Token or key')
      await key.fill(`${site.gate.adminToken}\u200b`)
      await key.press('Enter')
      expect(await page.getByRole('alert').innerText()).toBe('This token or key is not known.')
      let answer = (): void => undefined
      const late = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/v1/stats*', async (route) => {
        if (route.request().headers()['authorization'] === 'Bearer wrong') await late
        await route.continue()
      })
      await key.fill('wrong')
      await key.press('Enter')
      await key.fill(site.gate.adminToken)
      await key.press('Enter')
      answer()
      await page.getByRole('alert').waitFor()
      await key.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    },
  )
})

const FAILURES = [
  [504, 'text/html', '<h1>Gateway time-out</h1>', 'status 504'],
  [200, 'text/html', '<h1>Sign in to the proxy</h1>', 'status 200'],
  [500, 'application/json', 'null', 'status 500'],
  [403, 'application/json', '{"error":{"code":"forbidden","message":"The token lacks the scope"}}', 'lacks the scope'],
] as const

describe('an API that fails', () => {
  it.each(DEEP ? FAILURES : FAILURES.slice(0, 1))(
    'with status %i, %s and %s is described',
    async (status, contentType, body, told) => {
      const { page, complaints } = await visit()
      await page.route('**/v1/decisions*', (route) => route.fulfill({ status, contentType, body }))
      await page.getByRole('navigation').getByRole('link', { name: 'Decisions' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByRole('alert').innerText()).toContain(told)
      expect(complaints.filter((complaint) => !complaint.includes(`${status}`))).toEqual([])
    },
  )

  it('with status 401 keeps a comment that is being written, and says why it was not kept', async () => {
    const { page } = await visit()
    await open(page, 'Decisions')
    await page.locator('.list a').first().click()
    await page.getByLabel('Rightly').check()
    await page.getByLabel('Comment').fill('Seen by me')
    const error = { code: 'unauthorized', message: 'A bearer token is needed' }
    await page.route('**/label*', (route) => route.fulfill({ status: 401, json: { error } }))
    await page.getByRole('button', { name: 'Keep this label' }).click()
    const told = page.getByRole('form', { name: 'Your label' }).getByRole('status')
    await expect.poll(() => told.innerText()).toBe('This token or key is no longer valid.')
    expect(await page.getByLabel('Comment').inputValue()).toBe('Seen by me')
  })

  it.runIf(DEEP)('by not answering leaves a view that is told to be loading, and then what is wrong', async () => {
    const { page } = await visit()
    await page.route('**/v1/decisions?*', () => undefined)
    await page.getByRole('navigation').getByRole('link', { name: 'Decisions' }).press('Enter')
    await expect.poll(() => page.locator('#status').textContent()).toBe('Decisions is loading.')
    await page.unroute('**/v1/decisions?*')
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(() => page.locator('#status').textContent()).toBe('Decisions is shown.')
  })

  it.runIf(DEEP)('during a refresh leaves the figures in place, and is told beside their time', async () => {
    const { page } = await visit()
    await page.clock.install()
    await page.reload()
    await page.getByText('As a table').click()
    await page.route('**/v1/stats*', (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await page.clock.fastForward(16_000)
    await failed
    const told = page.locator('.refreshing').getByRole('status')
    await expect.poll(() => told.innerText()).toContain('cannot be reached')
    expect(await page.getByRole('table', { name: 'Decisions over time' }).isVisible()).toBe(true)
    await page.unroute('**/v1/stats*')
    await page.clock.fastForward(16_000)
    await expect.poll(() => told.innerText()).toBe('')
    expect(await page.getByRole('table', { name: 'Decisions over time' }).isVisible()).toBe(true)
    await page.close()
  })
})

describe('the overview', () => {
  it.runIf(DEEP)('reports when no job looks for alerts, and which jobs are behind', async () => {
    const health = async (): Promise<string> => {
      const { page } = await visit()
      return (await page.locator('.health').innerText()).replaceAll(/\s+/g, ' ')
    }
    expect(await health()).toContain('Nobody looks for alerts yet')
    await fetch(`${site.gate.url}/cdn-cgi/local/scheduled`)
    expect(await health()).not.toContain('obody looks')
    // What a trigger that stopped three hours ago leaves.
    const stopped = await visit()
    await stopped.page.route('**/v1/alerts*', async (route) => {
      const answer = await route.fetch()
      const { jobs, ...rest } = (await answer.json()) as { jobs: readonly object[] }
      await route.fulfill({
        response: answer,
        json: { ...rest, jobs: jobs.map((job) => ({ ...job, behind_seconds: 5_400 })) },
      })
    })
    await stopped.page.reload()
    await stopped.page.locator('.health').filter({ hasText: 'Jobs are behind' }).waitFor()
    expect(await stopped.page.locator('.health').innerText()).toContain('alerts by 90 min')
  })

  it.runIf(DEEP)(
    'shows what another threshold would have refused, with refusals by other gates unchanged',
    async () => {
      const { page } = await visit()
      const counts = new Map([
        [0, { pass: 0, advise: 0, refuse: 3 }],
        [12, { pass: 0, advise: 4, refuse: 0 }],
        [16, { pass: 0, advise: 0, refuse: 2 }],
        [19, { pass: 11, advise: 0, refuse: 0 }],
      ])
      await page.route('**/v1/stats*', async (route) => {
        const response = await route.fetch()
        const json = (await response.json()) as { confidence_histogram: readonly object[] }
        const bins = json.confidence_histogram.map((_, at) => counts.get(at) ?? { pass: 0, advise: 0, refuse: 0 })
        await route.fulfill({ response, json: { ...json, confidence_histogram: bins } })
      })
      await page.reload()
      const slider = page.getByLabel('Try another threshold')
      const outcome = page.locator('#counterfactual')
      expect(await slider.inputValue()).toBe('11')
      expect(await outcome.innerText()).toBe('Refusing below 0.55 would refuse 25 % (5) instead of 25 % (5).')
      await slider.fill('13')
      expect(await outcome.innerText()).toContain('would refuse 45 % (9) instead of')
      await slider.focus()
      await page.keyboard.press('End')
      expect(await outcome.innerText()).toContain('would refuse 100 % (20) instead of')
      await page.keyboard.press('Home')
      expect(await outcome.innerText()).toContain('would refuse at least 10 % (2) instead of')
      expect(await outcome.innerText()).toContain('Refusals for other reasons than confidence would stay.')
      // The slider begins at the twentieth below a threshold between two.
      const policy = { gates: [{ gate: 'confidence-range', refuseBelow: 0.62, adviseBelow: 0.8 }] }
      await answerWith(page, '**/v1/policies*', 'policies', { policy })
      await page.reload()
      expect(await slider.inputValue()).toBe('12')
      expect(await outcome.innerText()).toContain('Refusing below 0.60 would refuse at least')
    },
  )

  it.runIf(DEEP)('notes that observed refusals are counted too', async () => {
    const { page } = await visit()
    const note = 'those only observed too'
    expect(await tile(page, 'Refused').innerText()).not.toContain(note)
    await page.route('**/v1/stats*', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), by_mode: { enforce: 40, observe: 2 } } })
    })
    await page.reload()
    expect(await tile(page, 'Refused').innerText()).toContain(note)
  })

  it('by days counts whole days, so that its links and the period before do', async () => {
    const { page } = await visit()
    const asked: string[][] = []
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/stats')) asked.push(['from', 'to'].map((name) => searchParams.get(name) ?? ''))
    })
    const answered = page.waitForResponse((response) => response.url().includes('/v1/alerts'))
    await page.getByRole('radio', { name: '31 days' }).check()
    await answered
    await page.locator('main:not([aria-busy])').waitFor()
    await expect.poll(() => asked.length).toBe(2)
    const [period, earlier] = asked.sort((a, b) => (a[0]! < b[0]! ? 1 : -1))
    expect(period!.map((time) => time.slice(10))).toEqual(['T00:00:00.000Z', 'T00:00:00.000Z'])
    expect((Date.parse(period![1]!) - Date.parse(period![0]!)) / 86_400_000).toBe(31)
    expect(earlier![1]).toBe(period![0])
    expect(await page.locator('.chart.series .leading').count()).toBe(31)
  })

  it("offers the chart's figures as a table and as a file", async () => {
    const { page } = await visit()
    await page.getByText('As a table').click()
    expect(await page.getByRole('table', { name: 'Decisions over time' }).locator('tbody tr').count()).toBeGreaterThan(
      0,
    )
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).first().click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('decisions-over-time.csv')
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/^\ufeffstart,decisions,mean_confidence,.*,pass,/)
  })

  it('refreshes itself, keeps opened parts, and stops on request', async () => {
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
    // Its clock stays another one.
    await page.close()
  })
})

describe('the address of a view', () => {
  it.runIf(DEEP)('links each figure to its questions, and can be shared', async () => {
    const { page, complaints } = await visit()
    await page.getByRole('radio', { name: '7 days' }).check()
    const link = tile(page, 'Refused').getByRole('link')
    await expect.poll(() => link.getAttribute('href')).toContain('period=7d')
    await link.click()
    await page.locator('.list').waitFor()
    expect(page.url()).toContain('#/decisions?period=7d&verdict=refuse')
    const refused = Number(site.sql(`SELECT count(*) FROM decisions WHERE verdict = 'refuse'`))
    expect(await page.locator('.list tbody tr').count()).toBe(Math.min(50, refused))
    const sent = await visit()
    await sent.page.goto(page.url())
    await sent.page.locator('.list').waitFor()
    expect(await sent.page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true)
    await open(sent.page, 'Overview')
    await sent.page.locator('.chart.histogram .leading').first().click()
    await sent.page.locator('.list').waitFor()
    const below = Number(site.sql(`SELECT count(*) FROM decisions WHERE confidence < 0.05`))
    expect(await sent.page.locator('.list tbody tr').count()).toBe(Math.min(50, below))
    await open(sent.page, 'Overview')
    await sent.page.locator('.chart.series .leading').last().click()
    await sent.page.locator('.list').waitFor()
    expect(await sent.page.getByRole('group', { name: 'Period' }).innerText()).toMatch(
      /[\d-]{10} \d\d:00 to [\d-]{10} \d\d:00 UTC$/,
    )
    await sent.page.getByRole('radio', { name: '7 days' }).check()
    await sent.page.waitForURL((url) => url.hash.includes('period=7d'))
    await expect.poll(() => sent.page.getByRole('group', { name: 'Period' }).innerText()).not.toContain('UTC')
    // The same by keyboard.
    await open(sent.page, 'Overview')
    await sent.page.locator('details[data-name=confidences] summary').press('Enter')
    await sent.page.getByRole('table', { name: 'Decisions by confidence' }).getByRole('link').first().press('Enter')
    await sent.page.locator('.list').waitFor()
    expect(new URL(sent.page.url()).hash).toContain('min_confidence=')
    expect(await sent.page.locator('#policy').isVisible()).toBe(true)
    await open(sent.page, 'Content gaps')
    expect(await sent.page.locator('#policy').isVisible()).toBe(false)
    await sent.page.getByRole('table', { name: 'Questions refused most often' }).getByRole('link').first().click()
    await sent.page.locator('.list').waitFor()
    // Gaps are counted by whole days, and so are the decisions behind them.
    expect(new URL(sent.page.url()).hash).toMatch(/from=[\d-]+T00%3A00%3A00\.000Z&to=[\d-]+T00%3A00/)
    const [of] = new URL(sent.page.url()).hash.match(/(?<=question=)\w+/) ?? []
    expect(await sent.page.locator('.list tbody tr').count()).toBe(
      Number(site.sql(`SELECT count(*) FROM decisions WHERE question_hmac = '${of}'`)),
    )
    expect([...complaints, ...sent.complaints]).toEqual([])
  })

  it('exports every decision of a list, however many pages it has', async () => {
    const { page } = await visit()
    await page.route('**/v1/decisions?*format=csv*', (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=5') }),
    )
    await open(page, 'Decisions')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trimEnd()
      .split('\r\n')
    const all = Number(site.sql('SELECT count(*) FROM decisions'))
    expect(all).toBeGreaterThan(10)
    expect(lines).toHaveLength(all + 1)
    expect(new Set(lines).size).toBe(all + 1)
  })
})

const PAYLOADS = DEEP ? XSS_PAYLOADS : XSS_PAYLOADS.filter((_, at) => at % 5 === 0)
const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const NO_PLACES = [
  ['#/overview?period=constructor', 'Decisions'],
  ['#/overview?period=99d', 'Decisions'],
  // 39 letters, and one of two code units.
  [`#/decisions?document=${'a'.repeat(39)}%F0%9F%9A%80.md`, `Document: ${'a'.repeat(39)}\u{1F680} ✕`],
  ['#/constructor', 'Decisions'],
  ['#/decisions/%E0%A4%A', 'There is no such decision'],
  ['#/overview?from=zzz&to=2020-01-01', 'from must be ISO 8601'],
  ['#/overview?from=2030-01-01&to=2020-01-01', 'from must be before to'],
] as const

describe('an address that names no place', () => {
  it.each(DEEP ? NO_PLACES : NO_PLACES.slice(0, 2))('%s shows %s', async (hash, shown) => {
    const { page, complaints } = await visit()
    await page.evaluate((to) => (location.hash = to), hash)
    await page.getByRole('main').getByText(shown).first().waitFor()
    expect(complaints.filter((complaint) => !/40[04]|422/.test(complaint))).toEqual([])
    if (shown === 'Decisions') expect(await page.locator('#periods :checked').count()).toBe(1)
  })
})

describe('markup is shown as text', () => {
  beforeAll(async () => {
    for (const payload of PAYLOADS) {
      await api('/v1/policy', 'PUT', { policy: null, why: payload })
      await ask(payload.slice(0, 300))
    }
  })

  it(`in reasons and addresses: ${PAYLOADS.length} payloads`, async () => {
    const { page, complaints } = await visit()
    await open(page, 'Policies')
    const shown = await page.getByRole('table', { name: 'Who chose which policy' }).innerText()
    for (const payload of PAYLOADS) expect(squeezed(shown)).toContain(squeezed(payload))
    for (const name of ['Decisions', 'Content gaps', 'Documents'] as const) await open(page, name)
    await page.goto(`${site.gate.url}/dashboard#/decisions/${encodeURIComponent(PAYLOADS[0]!)}`)
    await page.getByRole('alert').waitFor()
    expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).toBe(0)
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
  })

  it(`in questions, titles and comments: ${PAYLOADS.length} payloads each`, async () => {
    const { page, complaints } = await visit()
    const { decisions } = (await api('/v1/decisions?limit=100')) as { decisions?: { id: string }[] }
    for (const [at, comment] of PAYLOADS.entries()) {
      await api(`/v1/decisions/${decisions![at]!.id}/label`, 'PUT', { rating: 'right', comment })
    }
    await open(page, 'Feedback')
    const said = squeezed(await page.getByRole('table', { name: 'Latest labels' }).innerText())
    for (const payload of PAYLOADS) expect(said).toContain(squeezed(payload))

    // Where texts are kept a question is shown in its words, and a document by its id, which may be a title.
    await page.route('**/v1/stats/content-gaps?*', async (route) => {
      const [gap] = (await (await route.fetch()).json()).content_gaps as object[]
      await route.fulfill({ json: { content_gaps: PAYLOADS.map((text) => ({ ...gap, text, collection: text })) } })
    })
    await page.route('**/v1/stats/documents?*', async (route) => {
      const [document] = (await (await route.fetch()).json()).documents as object[]
      await route.fulfill({ json: { documents: PAYLOADS.map((text) => ({ ...document, document_id: text })) } })
    })
    for (const [view, table] of [
      ['Content gaps', 'Questions refused most often'],
      ['Documents', 'Documents by confidence'],
    ] as const) {
      await open(page, view)
      const shown = squeezed(await page.getByRole('table', { name: table }).innerText())
      for (const payload of PAYLOADS) expect(shown).toContain(squeezed(payload))
    }
    await page.route('**/v1/decisions/*', async (route) => {
      const response = await route.fetch()
      const recorded = (await response.json()) as Record<string, unknown>
      const all = PAYLOADS.join('\n')
      const told = { badge: { look: 'success', text: all }, banner: all }
      const json = { ...recorded, question_text: all, document_ids: PAYLOADS, told, model: all, route: all }
      await route.fulfill({ response, json })
    })
    await page.goto(`${site.gate.url}/dashboard#/decisions/${decisions![0]!.id}`)
    await page.locator('blockquote').waitFor()
    for (const place of ['blockquote', '.mark', '.banner', '.plain']) {
      const shown = squeezed(await page.locator(place).innerText())
      for (const payload of PAYLOADS) expect(shown, place).toContain(squeezed(payload))
    }
    expect(await page.locator('main img, main script, main iframe, main [onerror], main base').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('an operator with several tenants', () => {
  beforeAll(async () => {
    const headers = { authorization: `Bearer ${site.gate.adminToken}`, 'content-type': 'application/json' }
    const { token } = (await api('/v1/keys', 'POST', {
      tenant: 'acme',
      name: 'a',
      scopes: ['ask', 'ingest', 'admin'],
    })) as {
      token?: string
    }
    await ingest(site.gate.url, token!, GATE_DOCUMENTS)
    for (const question of ['How long is a refusal cached?', 'What is the weather in Chicago?']) {
      await fetch(`${site.gate.url}/ask`, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: JSON.stringify({ question }),
      })
    }
  })

  it('sees all of them, and can choose one', async () => {
    const { page, complaints } = await visit()
    const count = (where: string): number => Number(site.sql(`SELECT count(*) FROM decisions WHERE ${where}`))
    expect(await tile(page, 'Decisions').locator('strong').innerText()).toBe(String(count('true')))
    expect(await page.getByRole('table', { name: 'By tenant' }).locator('tbody th').allInnerTexts()).toEqual([
      'default',
      'acme',
    ])
    await open(page, 'Decisions')
    await page.getByRole('main').getByRole('link', { name: 'acme' }).click()
    await page.locator('.list').waitFor()
    expect(await page.locator('.list tbody tr').count()).toBe(count(`tenant = 'acme'`))
    await page.locator('.list tbody a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
    await open(page, 'Overview')
    expect(await page.getByLabel('Tenant').inputValue()).toBe('acme')
    expect(await tile(page, 'Decisions').locator('strong').innerText()).toBe('2')
    expect(complaints).toEqual([])
  })

  it('is offered what was new since, when a refresh is asked for', async () => {
    const { page } = await visit()
    const later = (name: string): Promise<number> => page.getByLabel(name).locator('option[value="later@1"]').count()
    await page.route('**/v1/stats?*', async (route) => {
      const response = await route.fetch()
      const stats = (await response.json()) as Record<'by_policy' | 'by_collection' | 'by_tenant', object[]>
      const withLater = (totals: readonly object[]) => [...totals, { ...totals[0], name: 'later@1' }]
      const [by_policy, by_collection] = [withLater(stats.by_policy), withLater(stats.by_collection)]
      await route.fulfill({
        response,
        json: { ...stats, by_policy, by_collection, by_tenant: withLater(stats.by_tenant) },
      })
    })
    await open(page, 'Documents')
    expect([await later('Tenant'), await later('Collection'), await later('Policy')]).toEqual([0, 0, 0])
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(() => later('Tenant')).toBe(1)
    await page.locator('main:not([aria-busy])').waitFor()
    expect([await later('Collection'), await later('Policy')]).toEqual([1, 1])
  })

  it('is offered the collections and policies of the tenant on every view, and of no other', async () => {
    const { page } = await visit()
    const offered = (name: string): Promise<string[]> => page.getByLabel(name).locator('option').allInnerTexts()
    const policies = (await offered('Policy')).length
    expect(policies).toBeGreaterThan(2)
    await page.goto(`${site.gate.url}/dashboard#/decisions?tenant=default&policy=balanced%40gone`)
    await page.reload()
    await page.locator('.list, .empty').first().waitFor()
    expect(await offered('Collection')).toEqual(['All', 'default'])
    expect(await offered('Policy')).toHaveLength(policies + 1)
    await page.getByLabel('Tenant').selectOption('acme')
    await page.locator('.list').waitFor()
    expect(await offered('Policy')).toHaveLength(2)
    // One without decisions in the month is shown, too.
    await page.goto(`${site.gate.url}/dashboard#/decisions?tenant=nobody`)
    await page.getByText('No decision of this kind').waitFor()
    expect(await page.getByLabel('Tenant').inputValue()).toBe('nobody')
    await page.getByRole('button', { name: 'Sign out' }).click()
    const { token } = (await api('/v1/keys', 'POST', { tenant: 'acme', name: 'b', scopes: ['admin'] })) as {
      token?: string
    }
    await page.keyboard.type(token!)
    await page.keyboard.press('Enter')
    // The address names another tenant than that of the key.
    await page.getByRole('alert').getByText('A key reaches only its own tenant').waitFor()
    await page.getByRole('link', { name: 'Show the tenant of this key' }).click()
    await page.locator('.list').waitFor()
    expect(await page.locator('#tenant option').allInnerTexts()).toEqual(['All'])
  })
})
