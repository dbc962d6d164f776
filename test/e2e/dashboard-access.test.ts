/**
 * How the dashboard is read and used without a mouse: by keyboard, by assistive technology, in narrow windows and in other directions.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { DEEP } from '../deep-run.ts'
import { LOOKS, lowContrasts, overflow, SCREENSHOTS, shoot } from './appearance.ts'
import { violations } from './axe.ts'
import { answerWith, dashboardSite, focused, open, recordTraffic, tile, VIEWS } from './dashboard-site.ts'

const site = dashboardSite()
const { api, visit } = site

beforeAll(() => recordTraffic(site))

describe('with the keyboard alone', () => {
  it('a user signs in, changes the view and the period, and opens a decision', async () => {
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

  it.runIf(DEEP)('the first link leads past the navigation, in the view and selection of the address', async () => {
    const { page } = await visit()
    await page.goto(`${site.gate.url}/dashboard#/decisions?verdict=refuse`)
    await page.locator('.list').waitFor()
    await page.getByRole('link', { name: 'Skip to the figures' }).press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('verdict')
    expect(new URL(page.url()).hash).toBe('#/decisions?verdict=refuse')
  })

  it.runIf(DEEP)('the focus stays on a period and a filter that are changed', async () => {
    const { page } = await visit()
    await page.getByRole('radio', { name: '24 hours' }).focus()
    for (const period of ['7d', '31d']) {
      const asked = page.waitForResponse((response) => response.url().includes('/v1/alerts'))
      await page.keyboard.press('ArrowRight')
      await asked
      expect(page.url()).toContain(`period=${period}`)
      await page.locator('main:not([aria-busy])').waitFor()
      expect(await focused(page)).toBe('period')
    }
    await open(page, 'Decisions')
    await page.getByLabel('Verdict').focus()
    const asked = page.waitForResponse((response) => response.url().includes('verdict=pass'))
    await page.keyboard.press('ArrowDown')
    await asked
    await page.locator('main:not([aria-busy])').waitFor()
    expect(await focused(page)).toBe('verdict')
  })

  it.runIf(DEEP)('the focus, and a threshold that is tried, outlast a refresh', async () => {
    const { page } = await visit()
    await page.clock.install()
    await page.reload()
    const slider = page.getByLabel('Try another threshold')
    await slider.press('ArrowRight')
    const tried = await slider.inputValue()
    const outcome = await page.locator('#counterfactual').innerText()
    const heading = await page.getByRole('heading', { level: 1 }).elementHandle()
    const announced = await page.evaluateHandle(() => {
      const texts: (string | null)[] = []
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const region = target.parentElement?.closest('output, [role=status]') ?? (target as Element).closest('output')
          if (region) texts.push(region.textContent)
        }
      }).observe(document.body, { childList: true, characterData: true, subtree: true })
      return texts
    })
    await page.clock.fastForward(16_000)
    await expect.poll(() => heading!.evaluate((element) => element.isConnected)).toBe(false)
    expect(await focused(page)).toBe('try')
    expect([await slider.inputValue(), await page.locator('#counterfactual').innerText()]).toEqual([tried, outcome])
    expect(await announced.jsonValue()).toEqual([])
    await page.close()
  })

  it('a label that is being written, and the focus in it, outlast a refresh', async () => {
    const { page } = await visit()
    await open(page, 'Decisions')
    await page.locator('.list a').first().click()
    const wrong = page.getByLabel('Should have been')
    await page.getByLabel('Comment').fill('Half a comment')
    await wrong.check()
    const asked = page.waitForResponse((response) => response.url().includes('/v1/decisions/'))
    await page.evaluate(() => document.querySelector<HTMLElement>('#reload')!.click())
    await asked
    await page.locator('main:not([aria-busy])').waitFor()
    expect(await page.getByLabel('Comment').inputValue()).toBe('Half a comment')
    expect([await wrong.isChecked(), await wrong.evaluate((radio) => radio === document.activeElement)]).toEqual([
      true,
      true,
    ])
  })

  it.runIf(DEEP)(
    'the focus follows a figure to its card, stays on a saved table, and a retry leads to the heading',
    async () => {
      const { page } = await visit()
      const { hash } = new URL(page.url())
      await tile(page, 'Calls avoided').getByRole('link').press('Enter')
      expect(await focused(page)).toBe('title-saved')
      expect(new URL(page.url()).hash).toBe(hash)
      await open(page, 'Decisions')
      const save = page.getByRole('button', { name: 'Save as CSV' })
      const download = page.waitForEvent('download')
      await save.press('Enter')
      await download
      await expect.poll(() => focused(page)).toBe('Save as CSV')
      await page.route('**/v1/feedback*', (route) => route.abort())
      await page.getByRole('navigation').getByRole('link', { name: 'Feedback' }).press('Enter')
      await page.getByRole('alert').waitFor()
      expect(await focused(page)).toBe('Feedback')
      await page.unroute('**/v1/feedback*')
      await page.getByRole('button', { name: 'Try again' }).press('Enter')
      await page.getByRole('alert').waitFor({ state: 'detached' })
      expect(await focused(page)).toBe('Feedback')
      expect(await page.evaluate(() => document.activeElement!.tagName)).toBe('H1')
    },
  )
})

describe('for assistive technology', () => {
  it('there are landmarks, names for charts, tables and controls, and one first-level heading', async () => {
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
    // Links are also read without what stands around them.
    const share = await tile(page, 'Refused').locator('strong').innerText()
    expect(await page.getByRole('link', { name: `Refused: ${share}`, exact: true }).count()).toBe(1)
    const slider = page.getByLabel('Try another threshold')
    await slider.press('ArrowRight')
    expect(await slider.getAttribute('aria-valuetext')).toBe('0.60')
  })

  it.runIf(DEEP)('in forced colours a legend has the colours of the bars', async () => {
    const { page } = await visit()
    await page.emulateMedia({ forcedColors: 'active' })
    const colours = await page.evaluate(() =>
      ['pass', 'refuse'].map((verdict) => [
        getComputedStyle(document.querySelector(`.swatch.${verdict}`)!).backgroundColor,
        getComputedStyle(document.querySelector(`.chart .fill.${verdict}`)!).fill,
      ]),
    )
    await page.emulateMedia({ forcedColors: 'none' })
    for (const [legend, bar] of colours) expect(legend).toBe(bar)
  })

  it.each(DEEP ? (['light', 'dark'] as const) : (['light'] as const))(
    'every text has contrast in %s colours, axe finds no fault, and only wide tables scroll sideways on a narrow screen',
    async (colorScheme) => {
      const { page } = await visit({ colorScheme })
      for (const name of VIEWS) {
        await page.setViewportSize({ width: 1280, height: 720 })
        await open(page, name)
        expect(await lowContrasts(page), name).toEqual([])
        expect(await violations(page), name).toEqual([])
        await page.setViewportSize({ width: 360, height: 740 })
        expect([name, await overflow(page)]).toEqual([name, 0])
      }
    },
  )
})

describe('the layout', () => {
  it.runIf(DEEP).each([1280, 1100, 390])(
    'at a width of %d shows the figures of a deployment with prices in full rows, and cuts off no text',
    async (width) => {
      const { page } = await visit({ viewport: { width, height: 900 } })
      await page.route('**/v1/stats?*', async (route) => {
        const response = await route.fetch()
        const prices = { currency: 'EUR', input_per_million: 1, output_per_million: 2, per_retrieval: 0.1 }
        await route.fulfill({ response, json: { ...((await response.json()) as object), currency: 'EUR', prices } })
      })
      await page.reload()
      await tile(page, 'Saved').waitFor()
      await page.locator('.histogram text').first().waitFor()
      const found = await page.evaluate(() => {
        const box = (element: Element): DOMRect => element.getBoundingClientRect()
        const tiles = [...document.querySelectorAll('.tile')].map(box)
        const ends = [document.querySelector('.tiles')!, document.querySelector('.tile:last-child')!].map(box)
        const cut = [...document.querySelectorAll('.chart text')].filter(
          (text) => box(text).right > box(text.closest('svg')!).right - 1,
        )
        const together = ['.tick', '#reload', '#updated'].map((name) => box(document.querySelector(name)!))
        return {
          tiles: tiles.length,
          isFilled: Math.abs(ends[0]!.right - ends[1]!.right) < 3,
          cut: cut.map(({ textContent }) => textContent),
          lines: new Set(together.map(({ top, height }) => Math.round((top + height / 2) / 8))).size,
        }
      })
      expect(found).toEqual({ tiles: 9, isFilled: true, cut: [], lines: 1 })
    },
  )

  it('on a phone gives a question a line of its own', async () => {
    const { page } = await visit({ viewport: { width: 390, height: 780 } })
    await open(page, 'Decisions')
    const widths = await page
      .locator('.list tbody tr')
      .first()
      .evaluate((row) => {
        const question = row.querySelector('[data-column="Question"]')!
        const tops = ['When', 'Verdict'].map((name) =>
          row.querySelector(`[data-column="${name}"]`)!.getBoundingClientRect(),
        )
        return {
          isWhole: question.getBoundingClientRect().width === row.getBoundingClientRect().width,
          isBeside: tops[0]!.top < tops[1]!.bottom && tops[1]!.top < tops[0]!.bottom,
        }
      })
    expect(widths).toEqual({ isWhole: true, isBeside: true })
  })

  it.runIf(DEEP).each([1280, 360])(
    'at a width of %d breaks words that are too long, and cuts off no ring of a focus',
    async (width) => {
      const { page } = await visit({ viewport: { width, height: 800 } })
      const long = 'x'.repeat(300)
      await answerWith(page, '**/v1/decisions?*', 'decisions', {
        question_text: long,
        collection: long,
        policy_id: long,
      })
      await answerWith(page, '**/v1/feedback?*', 'labels', { comment: long })
      await answerWith(page, '**/v1/policies?*', 'policies', { id: long })
      await page.route('**/v1/decisions/0*', async (route) => {
        const response = await route.fetch()
        const findings = [{ gate: long, stage: 'evidence', outcome: 'refuse', code: long, message: long }]
        const told = { badge: { look: 'warning', text: long }, banner: long }
        await route.fulfill({ response, json: { ...(await response.json()), findings, told, question_text: long } })
      })
      await open(page, 'Decisions')
      const { decisions } = (await api('/v1/decisions?limit=1')) as { decisions?: { id: string }[] }
      await api(`/v1/decisions/${decisions![0]!.id}/label`, 'PUT', { rating: 'right', comment: 'as it is' })
      await page.locator('.list a').first().click()
      await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
      expect(await overflow(page)).toBe(0)
      for (const name of VIEWS) {
        await open(page, name)
        expect([name, await overflow(page)]).toEqual([name, 0])
        const cut = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('nav a, .scroll a, .scroll')].flatMap((element) => {
            const ring = element.getBoundingClientRect()
            for (let box = element.parentElement!; box !== document.body; box = box.parentElement!) {
              const { overflowX } = getComputedStyle(box)
              const { left, right } = box.getBoundingClientRect()
              if (overflowX !== 'visible' && (left > ring.left - 5 || right < ring.right + 5))
                return [element.outerHTML]
            }
            return []
          }),
        )
        expect([name, cut]).toEqual([name, []])
        const scrolled = await page
          .locator('.scroll')
          .evaluateAll((boxes) => boxes.filter((box) => box.scrollWidth > box.clientWidth).length)
        if (width === 1280) expect([name, scrolled]).toEqual([name, 0])
      }
    },
  )

  it.runIf(DEEP)('shows a text in its own direction', async () => {
    const { page } = await visit()
    await answerWith(page, '**/v1/decisions?*', 'decisions', { question_text: '\u05DE\u05D4 \u05D6\u05D4?' })
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 })
      await open(page, 'Decisions')
      // The mark at the end of Hebrew stands to the left of its letters.
      const places = await page
        .locator('[data-column=Question]')
        .nth(1)
        .evaluate((cell) => {
          const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()!
          return [0, text.textContent!.length - 1].map((at) => {
            const range = document.createRange()
            range.setStart(text, at)
            range.setEnd(text, at + 1)
            return range.getBoundingClientRect().left - cell.getBoundingClientRect().left
          })
        })
      expect(places[1]).toBeLessThan(places[0]!)
      // A phone shows the name of the column before it.
      if (width === 360) expect(places[1]).toBeGreaterThan(40)
      await open(page, 'Overview')
    }
  })

  it.runIf(DEEP)('names thresholds that are close together apart from each other', async () => {
    const { page } = await visit({ viewport: { width: 390, height: 780 } })
    for (const [refuseBelow, adviseBelow] of [
      [0.55, 0.6],
      [0.03, 0.05],
      [0.79, 0.85],
      [0.95, 0.97],
    ]) {
      const policy = { gates: [{ gate: 'confidence-range', refuseBelow, adviseBelow }] }
      await answerWith(page, '**/v1/policies*', 'policies', { policy })
      await page.reload()
      await page.getByLabel('Try another threshold').press('ArrowRight')
      const boxes = await page.locator('.axis.name').evaluateAll((names) =>
        names.map((name) => {
          const { left, right, top, bottom } = name.getBoundingClientRect()
          return { left, right, top, bottom, name: name.textContent }
        }),
      )
      expect(boxes).toHaveLength(3)
      const overlaps = boxes.flatMap((a, at) =>
        boxes
          .slice(at + 1)
          .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          .map((b) => `${refuseBelow}: ${a.name} over ${b.name}`),
      )
      expect(overlaps).toEqual([])
      await page.unroute('**/v1/policies*')
    }
  })
})

describe.skipIf(SCREENSHOTS === '')('screenshots', () => {
  it.each(LOOKS)('of $scheme, $width wide', async (look) => {
    const { page } = await visit({ colorScheme: look.scheme, viewport: look.viewport })
    const take = async (name: string): Promise<void> =>
      expect(await shoot(page, `dashboard-${name}`, look)).toBeGreaterThan(5_000)
    await page.getByLabel('Tenant').selectOption('default')
    for (const name of VIEWS) {
      await open(page, name)
      await page.waitForTimeout(400)
      await take(name.toLowerCase().replace(' ', '-'))
    }
    await page.goto(`${site.gate.url}/dashboard#/decisions?tenant=default&verdict=refuse`)
    await page.locator('.list a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
    await take('decision')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await take('sign-in')
  })
})
