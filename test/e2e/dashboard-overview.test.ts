/** The overview of the dashboard: the numbers on screen are those of the API and of the database. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { dashboardSite, recordTraffic, tile } from './dashboard-site.ts'

const site = dashboardSite()
const { api, ask, visit } = site

beforeAll(() => recordTraffic(site))

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
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/^start,decisions,mean_confidence,.*,pass,/)
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
