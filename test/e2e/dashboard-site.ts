/** The dashboard of a real Worker in a real browser: signing in, navigating, and requests past it. */
import type { Locator, Page } from 'playwright-core'
import { DEEP } from '../deep-run.ts'
import { GATE_DOCUMENTS, type Look, type Visit, type VisitedSite, visitedSite } from './visited-site.ts'

/** Its views, by their names in the navigation. */
export const VIEWS = ['Overview', 'Decisions', 'Live', 'Content gaps', 'Documents', 'Feedback', 'Policies'] as const

export interface DashboardVisit extends Look {
  /** Token to sign in with; `null` for signed out. @default the deployment's token */
  readonly token?: string | null
}

/** A Worker with its dashboard. */
export interface DashboardSite {
  readonly gate: VisitedSite['gate']
  readonly sql: VisitedSite['sql']
  /** Asks the Worker a question. */
  readonly ask: (question: string) => Promise<void>
  /** Response of an API path, with the deployment's token. */
  readonly api: (path: string, method?: string, body?: unknown) => Promise<Record<string, unknown>>
  /** Opens the dashboard, at the overview if signed in. */
  readonly visit: (options?: DashboardVisit) => Promise<Visit>
}

/** Starts both before the tests of a file, and stops them afterwards. */
export function dashboardSite(options?: Parameters<typeof visitedSite>[1]): DashboardSite {
  const site = visitedSite(GATE_DOCUMENTS, options)
  return {
    get gate() {
      return site.gate
    },
    sql: (query) => site.sql(query),

    async ask(question) {
      const response = await fetch(`${site.gate.url}/ask`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ question }),
      })
      // Some of the questions are deliberately invalid.
      if (response.status >= 500) throw new Error(`${response.status} for ${question}`)
    },

    async api(path, method = 'GET', body) {
      const response = await fetch(`${site.gate.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${site.gate.adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${response.status} for ${path}: ${await response.text()}`)
      // These paths return an object.
      return (await response.json()) as Record<string, unknown>
    },

    async visit({ token = site.gate.adminToken, ...look } = {}) {
      const visited = await site.visit('/dashboard', look)
      const { page } = visited
      if (token !== null) {
        await page.getByLabel('Token or key').fill(token)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      }
      return visited
    },
  }
}

const QUESTIONS = [
  'How long is a strong answer cached?',
  'How long is a strong answer cached?',
  'How long is a refusal cached?',
  'What does the gate judge before a language model is called?',
  'What raises the corpus version of a collection?',
  'Is weak evidence paid for?',
  'What is the weather in Chicago?',
  'What is the weather in Chicago?',
  'Who won the cup in 1974?',
  'How do I bake bread with a weaker crust?',
]

/** Unanswerable questions: in deep runs enough for a second page of the list. */
const STRANGE = Array.from({ length: DEEP ? 50 : 8 }, (_, at) => `How far is it to town number ${at}?`)

/** Questions of every kind, some under other policies. */
export async function recordTraffic(site: DashboardSite): Promise<void> {
  await site.api('/v1/policy', 'PUT', { policy: 'balanced-strict', why: 'A trial' })
  await site.ask('How long is a weaker answer cached?')
  await site.api('/v1/policy', 'PUT', { policy: 'weighted-signals' })
  await site.ask('How long is a weaker answer cached?')
  await site.api('/v1/policy', 'PUT', { policy: null })
  for (const question of [...STRANGE, ...QUESTIONS]) await site.ask(question)
}

/** Navigates to a view. */
export async function open(page: Page, name: (typeof VIEWS)[number]): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name })
  const address = (await link.getAttribute('href')) ?? ''
  await link.click()
  await page.waitForURL((url) => url.hash === address)
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.locator('main:not([aria-busy])').waitFor()
}

/** A figure of the overview by name: a `strong`, and a note in a `span`. */
export function tile(page: Page, name: string): Locator {
  return page.locator('.tile').filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) })
}

/** Changes members of each entry of a list that a path answers with. */
export async function answerWith(page: Page, path: string, list: string, change: object): Promise<void> {
  await page.route(path, async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as Record<string, readonly object[]>
    const changed = body[list]!.map((entry) => ({ ...entry, ...change }))
    await route.fulfill({ response, json: { ...body, [list]: changed } })
  })
}

/** Id, name or text of the focused element. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement!
    return element.id || element.getAttribute('name') || element.textContent!.trim()
  })
}
