/** A real Worker with documents, and a real browser that visits it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type GateDocument, ingest } from '../../packages/cli/src/gate-client.ts'
import { type BundledGate, type BundledGateOptions, startBundledGate } from './bundled-gate.ts'
import { theBrowser } from './browser.ts'

/** Two pages about the gate. */
export const GATE_DOCUMENTS: readonly GateDocument[] = [
  {
    id: 'cache.md',
    title: 'Caching answers',
    source: 'docs/cache.md',
    text: `# Caching answers

## Lifetimes

A strong answer is cached for one hour. A weaker answer is cached for ten minutes. A refusal is cached for one minute.

## Purging

Ingesting a document raises the corpus version of its collection, so that no older answer is found again.`,
  },
  {
    id: 'gate.md',
    title: 'The confidence gate',
    source: 'https://example.com/gate',
    text: `# The confidence gate

## What it does

The gate judges the evidence before a language model is called. Weak evidence is refused, and no model call is paid for.`,
  },
]

/** Options of a visit. */
export interface Look {
  /** @default 'light' */
  readonly colorScheme?: 'light' | 'dark'
  /** Window size, pixels. @default 1280 by 720 */
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** A page, and everything that went wrong on it. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Console messages, errors, dialogs, failed or foreign requests, statuses from 400 up. */
  readonly complaints: string[]
}

/** The Worker and the browser of a test file; both are available after its `beforeAll`. */
export interface VisitedSite {
  readonly gate: BundledGate
  /** Runs a query on the Worker's own D1, past the Worker: one value. */
  sql(query: string): unknown
  /** Opens a page, as if for the first time. Within a test each visit has its own context. */
  visit(path: string, look?: Look): Promise<Visit>
}

/**
 * Starts both before the tests of a file, and stops them afterwards.
 *
 * @param options asked for when the Worker starts: what they name may come up in a `beforeAll` before
 */
export function visitedSite(
  documents: readonly GateDocument[],
  options: () => Pick<BundledGateOptions, 'vars' | 'entry'> = () => ({}),
): VisitedSite {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'rag-gate-site-'))
  // Of the running test, and of those before: a page that goes to an address anew takes half as much of a processor as a new one.
  const visits: Visit[] = []
  const spare: Visit[] = []
  let gate: BundledGate | undefined
  const theGate = (): BundledGate => gate ?? neverStarted()

  beforeAll(async () => {
    // One after the other: the browser changes the environment while it unpacks.
    gate = await startBundledGate({ ...options(), stateDirectory })
    await theBrowser()
    await ingest(gate.url, gate.adminToken, documents)
  })

  afterEach(async ({ task }) => {
    const over = visits.splice(0)
    if (task.result?.state !== 'fail') spare.push(...over)
    else await closeAll(over)
  })

  afterAll(async () => {
    await closeAll(spare)
    await gate?.stop()
    rmSync(stateDirectory, { recursive: true, force: true })
  })

  return {
    get gate() {
      return theGate()
    },
    sql: (query) => firstValue(stateDirectory, query),
    async visit(path, { colorScheme = 'light', viewport = { width: 1280, height: 720 } } = {}) {
      const { url } = theGate()
      const visit = (await forgetful(spare.pop())) ?? (await newVisit(url))
      visits.push(visit)
      const { page, complaints } = visit
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      complaints.length = 0
      await page.goto(`${url}${path}`)
      return visit
    },
  }
}

/** Removes a test's traces from a page. @returns nothing for a closed page */
async function forgetful(visit: Visit | undefined): Promise<Visit | undefined> {
  if (visit === undefined || visit.page.isClosed()) return undefined
  const { page, context } = visit
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  return visit
}

async function closeAll(visits: readonly Visit[]): Promise<void> {
  await Promise.all(visits.map(({ context }) => context.close()))
}

async function newVisit(url: string): Promise<Visit> {
  const context = await (await theBrowser()).newContext()
  const page = await context.newPage()
  return { page, context, complaints: await complaintsOf(page, url) }
}

/** The D1 of the Worker is the one SQLite file that has the table of decisions. */
function firstValue(stateDirectory: string, query: string): unknown {
  const files = readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((name) => /D1DatabaseObject.*\.sqlite$/.test(name))) {
    const database = new DatabaseSync(join(stateDirectory, file), { readOnly: true, timeout: 5_000 })
    try {
      const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'decisions'").get()
      if (known !== undefined) return Object.values(database.prepare(query).get() ?? {})[0]
    } finally {
      database.close()
    }
  }
  throw new Error('The Worker has no database with decisions')
}

function neverStarted(): never {
  throw new Error('The Worker and the browser start before the first test')
}

/** Collects everything that goes wrong on a page from now on. */
async function complaintsOf(page: Page, url: string): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('requestfailed', (request) => {
    // A page aborts requests that have no waiting reader.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) complaints.push(`elsewhere: ${request.url()}`)
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => console.error('CSP', event.violatedDirective))
  })
  return complaints
}
