/** The page at `/` of a real Worker in a real browser: asking there, and locating its elements. */
import type { Locator, Page } from 'playwright-core'
import { GATE_DOCUMENTS, type Look, type Visit, type VisitedSite, visitedSite } from './visited-site.ts'

export const STRONG = 'How long is a strong answer cached?'
export const WEATHER = 'What is the weather in Chicago?'
export const HOSTILE_MARKUP = `<img src=x onerror="alert('title')"><script>alert('script')</script>`

const DOCUMENTS = [
  ...GATE_DOCUMENTS,
  {
    id: 'hostile.md',
    title: `Zebra ${HOSTILE_MARKUP}`,
    source: 'https://example.com/"><script>alert(1)</script>',
    text: `# Zebra ${HOSTILE_MARKUP}

The zebra protocol carries ${HOSTILE_MARKUP} in every quagga frame, see <a href="javascript:alert('link')">[1]</a>.`,
  },
]

/** A Worker with its page. */
export interface PageSite {
  readonly gate: VisitedSite['gate']
  /** Opens the page. */
  readonly visit: (look?: Look) => Promise<Visit>
}

/** Starts both before the tests of a file, and stops them afterwards. */
export function pageSite(): PageSite {
  const site = visitedSite(DOCUMENTS)
  return {
    get gate() {
      return site.gate
    },
    visit: (look) => site.visit('/', look),
  }
}

/** The question field. */
export const questionBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Ask the documents' })

/** Asks a question and waits for the outcome. */
export async function ask(page: Page, question: string): Promise<void> {
  await questionBox(page).fill(question)
  await questionBox(page).press('Enter')
  await settled(page)
}

/** Waits for the latest answer or error: thousands of pieces take a busy machine half a minute. */
export async function settled(page: Page): Promise<void> {
  await page.locator('#result:not([aria-busy], .writing) #asked').waitFor({ timeout: 100_000 })
}

/** Asks until the answer comes from the cache: it is stored after the response. */
export async function askUntilCached(page: Page, question: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    await ask(page, question)
    if ((await fact(page, 'Cache').innerText()).startsWith('hit')) return
  }
}

/** The value of a named fact. */
export function fact(page: Page, name: string): Locator {
  return page
    .locator('.rows > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
    .locator('dd')
}

/** The id of the focused element. */
export const activeId = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id)

/** Serves the page other answers than the gate's: complete ones, which the page accepts too. */
export async function changing(page: Page, change: (body: Record<string, unknown>) => object): Promise<void> {
  await page.route('**/ask', async (route) => {
    const response = await route.fetch({ headers: { ...route.request().headers(), accept: 'application/json' } })
    await route.fulfill({ response, json: change((await response.json()) as Record<string, unknown>) })
  })
}

/** What an advisory profile adds to an answer. */
export const ADVISORY = {
  badge: { look: 'warning', text: '⚠ Medium Confidence' },
  banner: '⚠️ Advisory only — Confidence: 50%. Verify information with primary sources.',
}

/** Asks under a key from now on, once the gate has said what it thinks of it. */
export async function useKey(page: Page, key: string): Promise<void> {
  await openAccess(page)
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key)
  await page.getByRole('textbox', { name: 'Key', exact: true }).press('Enter')
  await page.locator('#key-form:not([aria-busy])').waitFor()
}

/** Opens the section for keys and documents. */
export async function openAccess(page: Page): Promise<void> {
  const access = page.locator('#access')
  if ((await access.getAttribute('open')) === null) await access.locator('> summary').click()
}
