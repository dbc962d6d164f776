/** examples/use-chat in a real browser: the example's page and app as they stand there, its model on loopback. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Miniflare } from 'miniflare'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleScript, inWorkerd } from '../../scripts/in-workerd.ts'
import { ROOT } from '../../scripts/local-gate.ts'
import { answering, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { theBrowser } from './browser.ts'
import { delta, talking, wholeStream } from './streaming-model.ts'

const EXAMPLE = join(ROOT, 'examples', 'use-chat')
const folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-use-chat-'))
let model: ScriptedUpstream
let miniflare: Miniflare
let context: BrowserContext
let page: Page
const ADVISED = 'When must returns be sent back?'
const asked: string[] = []

beforeAll(async () => {
  model = await startUpstream(() => undefined)
  const [app, script] = [join(folder, 'app.js'), join(folder, 'page.js')]
  await bundleScript(join(EXAMPLE, 'app.ts'), app)
  await build({
    entryPoints: [join(EXAMPLE, 'page.tsx')],
    outfile: script,
    bundle: true,
    jsx: 'automatic',
    format: 'esm',
  })
  miniflare = inWorkerd(app, { LLM_BASE_URL: `${model.url}/v1`, LLM_API_KEY: 'key', LLM_MODEL: 'a-model' })
  const { origin } = await miniflare.ready
  context = await (await theBrowser()).newContext()
  page = await context.newPage()
  // A Worker's static assets.
  await page.route(`${origin}/`, (route) => route.fulfill({ path: join(EXAMPLE, 'index.html') }))
  await page.route(`${origin}/page.js`, (route) => route.fulfill({ path: script }))
  await page.goto(`${origin}/`)
})
afterAll(async () => {
  await context?.close()
  await miniflare?.dispose()
  await model?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const answer = () => page.locator('article[data-role=assistant]').last()
const verdict = () => answer().locator('aside').getAttribute('data-verdict')

/** Asks, and waits until all of the answer is there. */
async function ask(question: string): Promise<void> {
  const before = await page.locator('article[data-role=assistant]').count()
  await page.getByLabel('Question').fill(question)
  await page.getByLabel('Question').press('Enter')
  await expect
    .poll(() => page.locator('article[data-role=assistant]').count(), { timeout: 20_000 })
    .toBeGreaterThan(before)
}

function says(...words: readonly string[]): void {
  model.answerWith((response, request, body) => {
    asked.push(body)
    talking(wholeStream(words))(response, request, body)
  })
}

describe('useChat in a browser', () => {
  test('shows an answer with its sources', async () => {
    says('Two ', 'years [1].')
    await ask('What does the warranty cover?')
    await expect.poll(() => answer().locator('p').textContent()).toBe('Two years [1].')
    expect(await verdict()).toBe('pass')
    expect(await answer().locator('cite').first().textContent()).toBe('Warranty')
    expect(asked.at(-1)).toContain('It covers the motor and the battery.')
  })

  test('shows a refusal, without a model call', async () => {
    const before = asked.length
    await ask('What is the capital of France?')
    await expect.poll(verdict).toBe('refuse')
    expect(await answer().locator('strong').textContent()).toBe('Not in the documents')
    expect(await answer().locator('p').textContent()).toContain('I cannot answer this question')
    expect(await answer().locator('cite').count()).toBe(0)
    expect(asked).toHaveLength(before)
  })

  test('shows the caution of an advisory before its text', async () => {
    says('Thirty days [1].')
    await ask(ADVISED)
    await expect.poll(verdict).toBe('advise')
    expect(await answer().locator('em').textContent()).toContain('verify')
    await expect.poll(() => answer().locator('p').textContent()).toBe('Thirty days [1].')
    const first = await answer().evaluate((element) => element.firstElementChild?.tagName)
    expect(first).toBe('ASIDE')
  })

  test("shows a failed model call as an error, without the model's text", async () => {
    model.answerWith(answering('secret', 400))
    await page.getByLabel('Question').fill('What does the warranty cover, and for how long?')
    await page.getByLabel('Question').press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await page.content()).not.toContain('secret')
  })

  test('shows an answer that broke off as incomplete', async () => {
    model.answerWith(talking([delta('Two ')]))
    await ask('What does the warranty cover?')
    await expect.poll(() => page.getByRole('alert').count()).toBe(1)
    expect(await answer().locator('p').textContent()).toBe('Two ')
  })
})
