/** Measures how a page looks, and takes screenshots. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { DEEP } from '../deep-run.ts'

/** Texts with a contrast below 4.5:1, and colours of a legend below 3:1 (WCAG 2.2, 1.4.3 and 1.4.11), as far as the page tells. */
export function lowContrasts(page: Page): Promise<string[]> {
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
    const contrastOf = (one: string, other: string): number => {
      const [a, b] = [luminance(one), luminance(other)]
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    }
    const faint = [...document.querySelectorAll('.swatch')].flatMap((element) => {
      const contrast = contrastOf(getComputedStyle(element).backgroundColor, backdrop(element.parentElement))
      return contrast < 3 ? [`${contrast.toFixed(2)} ${element.className}`] : []
    })
    const texts = [...document.body.querySelectorAll('*')].flatMap((element) => {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== '')
      if (!own || !element.checkVisibility() || element.tagName === 'title') return []
      const style = getComputedStyle(element)
      const contrast = contrastOf(element instanceof SVGElement ? style.fill : style.color, backdrop(element))
      return contrast < 4.5 ? [`${contrast.toFixed(2)} ${element.textContent}`] : []
    })
    return [...faint, ...texts]
  })
}

/** How much wider a page is than its window, pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** Directory for screenshots, if any. */
export const SCREENSHOTS = process.env['SCREENSHOTS'] ?? ''

/** Both colour schemes, on desktop and phone: all four in deep runs and for screenshots, otherwise each once. */
export const LOOKS = (['light', 'dark'] as const)
  .flatMap((scheme) =>
    [1280, 390].map((width) => ({ scheme, width, viewport: { width, height: width === 390 ? 780 : 900 } })),
  )
  .filter(({ scheme, width }) => DEEP || SCREENSHOTS !== '' || (scheme === 'light') === (width === 1280))

/** Takes a screenshot of the whole page. @returns its bytes */
export async function shoot(page: Page, name: string, { scheme, width }: (typeof LOOKS)[number]): Promise<number> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  const path = join(SCREENSHOTS, `${name}-${scheme}-${width}.png`)
  return (await page.screenshot({ path, fullPage: true })).byteLength
}
