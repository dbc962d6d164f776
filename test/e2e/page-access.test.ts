/** The page at `/` for everybody: by keyboard, for assistive technology, on a phone, in both colour schemes. */
import { describe, expect, it } from 'vitest'
import { DEEP } from '../deep-run.ts'
import { LOOKS, lowContrasts, overflow, SCREENSHOTS, shoot } from './appearance.ts'
import { violations } from './axe.ts'
import {
  activeId,
  ADVISORY,
  ask,
  askUntilCached,
  changing,
  pageSite,
  questionBox,
  settled,
  STRONG,
  useKey,
  WEATHER,
} from './page-site.ts'

const site = pageSite()
const { visit } = site

describe('with the keyboard alone', () => {
  it('a user asks, reaches the answer, follows a citation, and returns to the question', async () => {
    const { page } = await visit()
    const cited = { answer: 'For one hour [1].', passages: undefined }
    await changing(page, (body) => ({ ...body, ...(body['refused'] === true ? {} : cited) }))
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

  it('every focus stop is visible', async () => {
    const { page } = await visit()
    await ask(page, STRONG)
    await page.keyboard.press('Escape')
    const outlines: string[] = []
    for (let stop = 0; stop < 40; stop++) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(() => document.activeElement === document.body)) break
      outlines.push(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle))
    }
    // Ask, three examples, the collection, search results, the evidence, the history.
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
  it('there are landmarks, a labelled text box, a live region and names for all controls', async () => {
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

  it.each(DEEP ? (['light', 'dark'] as const) : (['dark'] as const))(
    'every text has enough contrast in %s colours',
    async (colorScheme) => {
      const { page } = await visit({ colorScheme })
      expect(await lowContrasts(page)).toEqual([])
      await ask(page, STRONG)
      await ask(page, WEATHER)
      expect(await lowContrasts(page)).toEqual([])
    },
  )
})

describe('axe finds no fault', () => {
  it.each(DEEP ? LOOKS : LOOKS.slice(0, 1))('in $scheme colours, $width wide', async ({ scheme, viewport }) => {
    const { page } = await visit({ colorScheme: scheme, viewport })
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

describe('on a narrow screen', () => {
  it('nothing is cut off or scrolls sideways', async () => {
    const { page } = await visit({ viewport: { width: 360, height: 740 } })
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    await ask(page, STRONG)
    await ask(page, WEATHER)
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    await ask(page, 'unbroken'.repeat(60))
    expect(await overflow(page)).toBeLessThanOrEqual(0)
  })
})

describe('on a phone', () => {
  it.runIf(DEEP)('an answer and its first passage are short, and the rest is folded and can be opened', async () => {
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
  it.runIf(DEEP)('is a thin outline around controls, without a frame around the asked question', async () => {
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

describe.skipIf(SCREENSHOTS === '')('screenshots', () => {
  it.each(LOOKS)('of $scheme, $width wide', async (look) => {
    const { page } = await visit({ colorScheme: look.scheme, viewport: look.viewport })
    const take = async (name: string): Promise<void> => expect(await shoot(page, name, look)).toBeGreaterThan(10_000)
    await take('start')
    await ask(page, STRONG)
    await take('pass')
    await ask(page, WEATHER)
    await take('refuse')
    await askUntilCached(page, STRONG)
    await take('cached')
    await ask(page, 'long '.repeat(20_000))
    await take('error')
    await useKey(page, site.gate.adminToken)
    await take('key')
  })
})
