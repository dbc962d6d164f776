/** The dashboard for everybody: signing in, by keyboard, for assistive technology, on a phone, in both colour schemes. */
import { beforeAll, describe, expect, it } from 'vitest'
import { LOOKS, lowContrasts, overflow, SCREENSHOTS, shoot } from './appearance.ts'
import { violations } from './axe.ts'
import { dashboardSite, open, recordTraffic, VIEWS } from './dashboard-site.ts'

const site = dashboardSite()
const { visit } = site

beforeAll(() => recordTraffic(site))

describe('signing in', () => {
  it('needs a key that counts, keeps it in this tab alone, and forgets it', async () => {
    const { page, complaints } = await visit({ token: null })
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

describe('with the keyboard alone', () => {
  it('one signs in, changes the view and the period, and opens a decision', async () => {
    const { page } = await visit({ token: null })
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
      for (const name of VIEWS) {
        await open(page, name)
        expect(await lowContrasts(page), name).toEqual([])
        expect(await violations(page), name).toEqual([])
      }
    },
  )
})

describe('on a narrow screen', () => {
  it('nothing scrolls sideways but wide tables in themselves', async () => {
    const { page } = await visit({ viewport: { width: 360, height: 740 } })
    for (const name of VIEWS) {
      await open(page, name)
      expect([name, await overflow(page)]).toEqual([name, 0])
    }
  })
})

describe.skipIf(SCREENSHOTS === '')('screenshots', () => {
  it.each(LOOKS)('$scheme, $width wide', async (look) => {
    const { page } = await visit({ colorScheme: look.scheme, viewport: look.viewport })
    const take = async (name: string): Promise<void> =>
      expect(await shoot(page, `dashboard-${name}`, look)).toBeGreaterThan(5_000)
    for (const name of VIEWS) {
      await open(page, name)
      await page.waitForTimeout(400)
      await take(name.toLowerCase().replace(' ', '-'))
    }
    await page.goto(`${site.gate.url}/dashboard#/decisions?verdict=refuse`)
    await page.locator('.list a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
    await take('decision')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await take('sign-in')
  })
})
