/** Runs axe in a page and returns its violations. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { DEEP } from '../deep-run.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** axe's violations on the current page; contrasts, which `lowContrasts` measures too, in deep runs only. */
export async function violations(page: Page): Promise<string[]> {
  // Half a megabyte: injected once per page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  return page.evaluate(async (withContrast) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const found = await axe.run({
      rules: { 'color-contrast': { enabled: withContrast } },
      // Passes are not requested, nor are style sheets of other origins checked.
      resultTypes: ['violations'],
      preload: false,
    })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  }, DEEP)
}
