/** A real Worker with documents in it, and a real browser that visits it. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
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

/** A page, and everything that went wrong on it. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** What its console said, errors, dialogs, requests that failed or went elsewhere, statuses from 400 up. */
  readonly complaints: string[]
}

/** The Worker and the browser of a test file; both are there once its `beforeAll` ran. */
export interface VisitedSite {
  readonly gate: BundledGate
  /** Runs a query on the Worker's own D1, past the Worker: one value. */
  sql(query: string): unknown
  /** Opens a page in a context of its own, which is closed after the test. */
  visit(path: string, options?: BrowserContextOptions): Promise<Visit>
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
  const contexts: BrowserContext[] = []
  let gate: BundledGate | undefined
  let browser: Browser | undefined
  const theGate = (): BundledGate => gate ?? neverStarted()

  beforeAll(async () => {
    // One after the other: the browser borrows the environment while it unpacks.
    gate = await startBundledGate({ ...options(), stateDirectory })
    browser = await theBrowser()
    await ingest(gate.url, gate.adminToken, documents)
  })

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  })

  afterAll(async () => {
    await gate?.stop()
    rmSync(stateDirectory, { recursive: true, force: true })
  })

  return {
    get gate() {
      return theGate()
    },
    sql: (query) => firstValue(stateDirectory, query),
    async visit(path, options = {}) {
      const { url } = theGate()
      const context = await (browser ?? neverStarted()).newContext(options)
      contexts.push(context)
      const page = await context.newPage()
      const complaints = await complaintsOf(page, url)
      await page.goto(`${url}${path}`)
      return { page, context, complaints }
    },
  }
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

/** Everything that goes wrong on a page from now on. */
async function complaintsOf(page: Page, url: string): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('requestfailed', (request) => {
    // A page gives up requests without a waiting reader.
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
