/** Answers on the page at `/` while a model writes them, in a real browser, against a real Worker and a model on loopback. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { DEEP } from '../deep-run.ts'
import { LOOKS, lowContrasts, overflow, SCREENSHOTS, shoot } from './appearance.ts'
import { violations } from './axe.ts'
import { activeId, ask, fact, HOSTILE_MARKUP, questionBox, settled, STRONG, WEATHER } from './page-site.ts'
import { delta, DONE, talking, wholeStream } from './streaming-model.ts'
import { GATE_DOCUMENTS, visitedSite } from './visited-site.ts'

const WORDS = ['A strong', ' answer is cached for', ' **one', ' hour** [1].']
const WHOLE = wholeStream(WORDS)

let model: ScriptedUpstream
beforeAll(async () => {
  model = await startUpstream(talking(WHOLE))
})
afterAll(() => model.stop())

const site = visitedSite(GATE_DOCUMENTS, () => ({
  vars: { LLM_BASE_URL: `${model.url}/v1`, LLM_API_KEY: 'key', LLM_MODEL: 'm', STREAM_IDLE_SECONDS: '20' },
}))

let asked = 0
/** The same question for the judge, and another one for the cache. */
const anotherQuestion = (): string => STRONG + '?'.repeat(asked++)

/** Sends the first of the events at once, and the others when it is told to. */
function holdingBack(first: number, events: readonly string[] = WHOLE): { answer: Answer; release: () => void } {
  let release = (): void => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  return {
    answer: (...exchange) => {
      let sent = 0
      talking(events, () => (sent++ < first ? Promise.resolve() : held))(...exchange)
    },
    release,
  }
}

/** Begins as the others, and goes on until the client leaves. */
const endless: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of WHOLE.slice(0, 2)) response.write(event)
  const timer = setInterval(() => response.write(delta(' on')), 50)
  response.on('close', () => clearInterval(timer))
}

/** Asks, and does not wait. @returns the question */
async function begin(page: Page): Promise<string> {
  const question = anotherQuestion()
  await questionBox(page).fill(question)
  await questionBox(page).press('Enter')
  return question
}

const answerOf = (page: Page) => page.locator('.answer')
const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop' })

describe('an answer written by a model', () => {
  it('appears word by word after its verdict, and complete with its sources at the end', async () => {
    const { page, complaints } = await site.visit('/')
    const { answer, release } = holdingBack(2)
    model.answerWith(answer)
    const question = await begin(page)
    await expect.poll(() => answerOf(page).innerText()).toBe('A strong answer is cached for')
    expect(await page.locator('.verdict .badge').innerText()).toMatch(/^(Pass|Advise)$/)
    expect(await page.locator('.confidence').innerText()).toMatch(/^[01]\.\d{3}/)
    expect(await page.locator('#status').innerText()).toMatch(/ confidence\. The answer is being written …$/)
    expect(await activeId(page)).toBe('asked')
    expect(await page.locator('.sources').count()).toBe(0)
    release()
    await settled(page)
    expect(await answerOf(page).innerHTML()).toBe(
      '<p>A strong answer is cached for <strong>one hour</strong> ' +
        '<a href="#source-1" class="citation" aria-label="Source 1">[1]</a>.</p>',
    )
    expect(await page.locator('#source-1').innerText()).toContain('Caching answers')
    expect(await page.locator('.chunks > li').first().innerText()).toContain('Cited in the answer')
    expect(await page.locator('.reading').innerText()).toContain('Written by a model')
    expect(await page.locator('#status').innerText()).toMatch(/^\w+, \w+ confidence, in \d+ ms\. Esc returns/)
    expect(await stopButton(page).count()).toBe(0)
    // It is the same as the gate's JSON.
    const json = await fetch(`${site.gate.url}/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question }),
    })
    expect(await json.json()).toMatchObject({
      answer: WORDS.join(''),
      decision_id: await fact(page, 'Decision').innerText(),
    })
    expect(complaints).toEqual([])
  })

  it('is announced twice to screen readers, not with each word, and does not move the focus', async () => {
    const { page } = await site.visit('/')
    const { answer, release } = holdingBack(
      2,
      wholeStream([...WORDS.slice(0, 3), ...Array.from('abcdefgh'), WORDS[3]!]),
    )
    model.answerWith(answer)
    await page.evaluate(() => {
      const told: string[] = []
      const live = document.querySelector('#status')!
      new MutationObserver(() => told.push(live.textContent)).observe(live, { childList: true })
      Object.assign(globalThis, { told })
    })
    await begin(page)
    await expect.poll(() => answerOf(page).innerText()).toContain('cached')
    await questionBox(page).focus()
    await page.keyboard.type('!')
    release()
    await settled(page)
    expect(await activeId(page)).toBe('question')
    expect(await page.evaluate(() => (globalThis as unknown as { told: string[] }).told)).toEqual([
      'Judging the evidence …',
      expect.stringMatching(/being written …$/),
      expect.stringMatching(/^\w+, \w+ confidence, in \d+ ms/),
    ])
    expect(await page.locator('#result [aria-live], #result [role=alert], #result [role=status]').count()).toBe(0)
  })

  it("is rendered as Markdown while it arrives, never as HTML, and keeps the reader's selection", async () => {
    const { page, complaints } = await site.visit('/')
    const first = `First, **read** this. ${HOSTILE_MARKUP}\n\n`
    const list =
      '1. Stop the pump, then wait for a minute.\n2. Open `valve` and [look](javascript:alert(1)) at what comes.\n'
    const { answer, release } = holdingBack(2, wholeStream([first, list, 'The end [1].']))
    model.answerWith(answer)
    await begin(page)
    await answerOf(page).locator('ol > li').nth(1).waitFor()
    expect(await answerOf(page).locator('p strong, li code').allInnerTexts()).toEqual(['read', 'valve'])
    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('.answer p')!))
    release()
    await settled(page)
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(`First, read this. ${HOSTILE_MARKUP}`)
    expect(await page.locator('main img, main script, main [onerror], main a[href^="javascript:"]').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  const pieces = [
    ['stars', '**'],
    ['words', 'word '],
    ['items', '- \n'],
    ['fences', '```\n'],
    ['lines', 'a\n'],
  ] as const
  const LENGTH = 24_000
  it.runIf(DEEP).each(pieces)(
    'of thousands of characters in chunks of %s is not parsed again with each chunk',
    async (_, piece) => {
      const { page } = await site.visit('/')
      model.answerWith(talking(wholeStream(Array<string>(LENGTH / piece.length).fill(piece))))
      await page.evaluate(() => {
        // What reading Markdown begins with.
        const counted = { characters: 0 }
        const replaceAll = Reflect.get(String.prototype, 'replaceAll') as () => string
        function counting(this: string, ...given: readonly [string, string]): string {
          if (given[0] === '\r\n') counted.characters += this.length
          return Reflect.apply(replaceAll, this, given)
        }
        Object.assign(String.prototype, { replaceAll: counting })
        Object.assign(globalThis, { counted })
      })
      await begin(page)
      await settled(page)
      expect(await answerOf(page).locator('*').count()).toBeGreaterThan(0)
      const read = await page.evaluate(
        () => (globalThis as unknown as { counted: { characters: number } }).counted.characters,
      )
      expect(read).toBeGreaterThan(LENGTH)
      expect(read).toBeLessThan(200_000 + 22 * LENGTH)
    },
  )

  it('appears at once from the cache', async () => {
    const { page } = await site.visit('/')
    model.answerWith(talking(WHOLE))
    const question = anotherQuestion()
    await ask(page, question)
    await expect
      .poll(async () => {
        await ask(page, question)
        return fact(page, 'Cache').innerText()
      })
      .toMatch(/^hit/)
    expect(await answerOf(page).innerText()).toBe('A strong answer is cached for one hour [1].')
    expect(await page.locator('#status').innerText()).toContain('from the cache')
  })

  it('is not requested when the gate refuses', async () => {
    const { page, complaints } = await site.visit('/')
    const calls = model.calls()
    await ask(page, WEATHER)
    expect(await page.locator('.verdict .badge').innerText()).toBe('Refuse')
    expect(await page.locator('.bullets li').count()).toBeGreaterThan(0)
    expect(model.calls()).toBe(calls)
    expect(complaints).toEqual([])
  })
})

describe('an answer that is stopped', () => {
  it.each(DEEP ? ['Escape', 'the button'] : ['Escape'])(
    'by %s keeps its text, marked as stopped, and its request ends',
    async (how) => {
      const { page, complaints } = await site.visit('/')
      // What is not kept is not read to its end by the gate either.
      await page.route('**/ask', (route) =>
        route.continue({ headers: { ...route.request().headers(), 'cache-control': 'no-store' } }),
      )
      let isClosed = false
      model.answerWith((response, ...exchange) => {
        response.on('close', () => (isClosed = true))
        endless(response, ...exchange)
      })
      await begin(page)
      await expect.poll(() => answerOf(page).innerText()).toContain('cached for')
      if (how === 'Escape') await page.keyboard.press('Escape')
      else await stopButton(page).click()
      await settled(page)
      const came = await answerOf(page).innerText()
      expect(came).toMatch(/^A strong answer is cached for( on)*$/)
      expect(await page.getByRole('alert').innerText()).toBe('This answer is incomplete. You stopped it.')
      expect(await page.locator('#status').innerText()).toMatch(/incomplete after \d+ ms/)
      expect(await page.locator('#history li').first().innerText()).toContain('incomplete')
      expect(await activeId(page)).toBe('asked')
      await expect.poll(() => isClosed).toBe(true)
      expect(await answerOf(page).innerText()).toBe(came)
      await page.keyboard.press('Escape')
      expect(await activeId(page)).toBe('question')
      expect(complaints).toEqual([])
    },
  )

  it.runIf(DEEP)('before its first word keeps the previous answer', async () => {
    const { page, complaints } = await site.visit('/')
    await ask(page, WEATHER)
    model.answerWith(holdingBack(0).answer)
    await begin(page)
    await stopButton(page).waitFor()
    await stopButton(page).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#status').innerText()).toBe('Stopped.')
    expect(await activeId(page)).toBe('question')
    expect(await page.locator('#asked').innerText()).toBe(WEATHER)
    expect(await page.locator('#result').getAttribute('aria-busy')).toBe(null)
    expect(await stopButton(page).count()).toBe(0)
    expect(await page.locator('#history li').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it.runIf(DEEP)('by another question is replaced by the new answer', async () => {
    const { page, complaints } = await site.visit('/')
    const { answer, release } = holdingBack(2)
    model.answerWith(answer)
    await begin(page)
    await expect.poll(() => answerOf(page).innerText()).toContain('cached for')
    await ask(page, WEATHER)
    release()
    await page.waitForTimeout(300)
    expect(await page.locator('#asked').innerText()).toBe(WEATHER)
    expect(await answerOf(page).innerText()).toContain('I cannot answer this question')
    expect(await page.locator('#history li').count()).toBe(1)
    expect(complaints).toEqual([])
  })
})

describe('an answer that ends early', () => {
  const ENDS: readonly (readonly [string, readonly string[], string, string | undefined])[] = [
    ['because the model dies', WHOLE.slice(0, 2), 'The model stopped mid-answer.', 'llm_unavailable'],
    [
      'because the model tells of an error',
      [...WHOLE.slice(0, 2), 'data: {"error":{}}\n\n'],
      'unexpected response',
      'llm_bad_response',
    ],
    [
      'because the model may write no more',
      [...WHOLE.slice(0, 2), delta('', 'length'), DONE],
      'did not get to its end',
      undefined,
    ],
  ]
  it.each(DEEP ? ENDS : ENDS.slice(0, 1))('%s keeps its text, marked with the code', async (_, events, why, code) => {
    const { page } = await site.visit('/')
    model.answerWith(talking(events))
    const question = await begin(page)
    await settled(page)
    expect(await answerOf(page).innerText()).toBe('A strong answer is cached for')
    const alert = page.getByRole('alert')
    expect(await alert.innerText()).toContain('This answer is incomplete.')
    expect(await alert.innerText()).toContain(why)
    expect(await fact(page, 'Code').allInnerTexts()).toEqual(code === undefined ? [] : [code])
    if (code !== undefined) expect(await fact(page, 'Request').innerText()).toMatch(/^[0-9a-f-]{36}$/)
    expect(await page.locator('.confidence').count()).toBe(1)
    model.answerWith(talking(WHOLE))
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => answerOf(page).innerText()).toBe('A strong answer is cached for one hour [1].')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.locator('#asked').innerText()).toBe(question)
  })

  it.runIf(DEEP)('because the model falls silent is abandoned', async () => {
    const { page } = await site.visit('/')
    model.answerWith(holdingBack(2).answer)
    await begin(page)
    await settled(page)
    expect(await fact(page, 'Code').innerText()).toBe('llm_timeout')
  })

  it('because the connection is lost is reported so', async () => {
    const { page } = await site.visit('/')
    const event = (choice: object, more: object = {}): string =>
      `data: ${JSON.stringify({ choices: [choice], ...more })}\n\n`
    const about = {
      decision_id: 'd',
      verdict: 'pass',
      band: 'high',
      reason_code: 'passed',
      refused: false,
      sources: [],
    }
    await page.route('**/ask', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body:
          event({ delta: { content: 'Half' } }, { rag_gate: about }) +
          event({ delta: { content: 'Half' } }) +
          'data: {"cho',
      }),
    )
    await begin(page)
    await settled(page)
    expect(await answerOf(page).innerText()).toBe('Half')
    expect(await page.getByRole('alert').innerText()).toBe('This answer is incomplete. The connection broke off.')
  })

  it.runIf(DEEP)('before its first word shows an ordinary error', async () => {
    const { page } = await site.visit('/')
    model.answerWith(talking([]))
    await begin(page)
    await settled(page)
    expect(await page.getByRole('alert').innerText()).toContain('could not answer')
    expect(await fact(page, 'Code').innerText()).toBe('llm_unavailable')
    await page.route('**/ask', (route) => route.fulfill({ contentType: 'text/event-stream', body: 'data: {}\n\n' }))
    await ask(page, anotherQuestion())
    expect(await page.getByRole('alert').innerText()).toContain('could not answer')
  })
})

describe('an answer that is being written', () => {
  it.each(DEEP ? LOOKS : LOOKS.slice(0, 1))('is readable in $scheme colours, $width wide', async (look) => {
    const { page } = await site.visit('/', { colorScheme: look.scheme, viewport: look.viewport })
    const { answer, release } = holdingBack(
      4,
      wholeStream(['# Caching\n\nA strong answer', ' is **cached** for:\n\n', '- one hour [1]\n', '- or']),
    )
    model.answerWith(answer)
    await begin(page)
    await expect.poll(() => answerOf(page).innerText()).toContain('or')
    expect(await violations(page)).toEqual([])
    expect(await lowContrasts(page)).toEqual([])
    expect(await overflow(page)).toBeLessThanOrEqual(0)
    if (SCREENSHOTS !== '') await shoot(page, 'writing', look)
    await page.keyboard.press('Escape')
    await settled(page)
    expect(await violations(page)).toEqual([])
    expect(await lowContrasts(page)).toEqual([])
    if (SCREENSHOTS !== '') await shoot(page, 'stopped', look)
    release()
    model.answerWith(talking(WHOLE.slice(0, 2)))
    await ask(page, anotherQuestion())
    if (SCREENSHOTS !== '') await shoot(page, 'broken', look)
  })
})
