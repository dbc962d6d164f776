/** axe in a page: what it has against it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { DEEP } from '../deep-run.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe has against the page as it is; of contrasts, which `lowContrasts` measures too, in deep runs alone. */
export async function violations(page: Page): Promise<string[]> {
  // Half a megabyte: once for each page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  return page.evaluate(async (withContrast) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const found = await axe.run({
      rules: { 'color-contrast': { enabled: withContrast } },
      // Where all is well is not asked, nor what sheets of other origins say.
      resultTypes: ['violations'],
      preload: false,
    })
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
  }, DEEP)
}
