/**
 * Every view of the dashboard over the traffic of a question set, where one is here, else of the docs: each number on
 * screen is that of SQL over the Worker's own database, asked past the Worker.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { readSoakCorpus } from '../deep/soak-corpus.ts'
import { LOOKS, overflow, SCREENSHOTS, shoot } from './appearance.ts'
import { violations } from './axe.ts'
import { type CountingModel, startCountingModel } from './counting-model.ts'
import { dashboardSite, open, tile, VIEWS } from './dashboard-site.ts'

const ASKED = 150
const { documents, questions } = readSoakCorpus()
const some = questions.filter((_, at) => at % Math.ceil(questions.length / ASKED) === 0)

let model: CountingModel
beforeAll(async () => {
  model = await startCountingModel()
})
afterAll(() => model.stop())

const site = dashboardSite(() => ({
  vars: {
    LLM_BASE_URL: model.baseUrl,
    LLM_API_KEY: 'key',
    LLM_MODEL: 'counting-1',
    STORE_QUESTIONS_DAYS: '7',
    PRICE_CURRENCY: 'EUR',
    PRICE_INPUT_PER_MILLION: '150',
    PRICE_OUTPUT_PER_MILLION: '600',
    PRICE_PER_RETRIEVAL: '0.001',
    AVERAGE_INPUT_TOKENS: '1800',
    AVERAGE_OUTPUT_TOKENS: '250',
  },
}))
const { api, ask, visit } = site

beforeAll(async () => {
  await ingest(site.gate.url, site.gate.adminToken, documents)
  // Answers of before the collection learned its scale are not found again.
  await vi.waitUntil(() => count('count(scale)', 'true', 'collections') > 0, { timeout: 60_000, interval: 100 })
  for (const question of some) await ask(question)
  await api('/v1/policy', 'PUT', { policy: 'weighted-signals', why: 'A trial' })
  for (const question of some.slice(0, 20)) await ask(question)
  await api('/v1/policy', 'PUT', { policy: null })
  // A third is asked again: answers and refusals come from the cache.
  const again = some.filter((_, at) => at % 3 === 0)
  for (const question of again) await ask(question)
  // They are recorded behind the responses; the latest are labelled, which all have the default policy then.
  await vi.waitUntil(() => count('count(*)') === some.length + 20 + again.length, { timeout: 30_000, interval: 100 })
  const { decisions } = (await api(`/v1/decisions?limit=${Math.min(40, again.length)}`)) as {
    decisions?: { id: string }[]
  }
  for (const [at, { id }] of (decisions ?? []).entries()) {
    await api(`/v1/decisions/${id}/label`, 'PUT', { rating: at % 4 === 0 ? 'wrong' : 'right' })
  }
}, 240_000)

/** One figure of the database. */
const count = (what: string, where = 'true', from = 'decisions'): number =>
  Number(site.sql(`SELECT ${what} FROM ${from} WHERE ${where}`))

/** Rows of the database, as lists. */
const rows = <Row>(columns: string, rest: string): Row[] =>
  JSON.parse(String(site.sql(`SELECT json_group_array(json_array(${columns})) FROM (SELECT * ${rest})`))) as Row[]

const share = (part: number, whole: number): string => {
  const percent = (part / whole) * 100
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`
}
/** A figure from 0 to 1 as the page writes it, cut and not rounded. */
const cut = (value: number): string => (Math.floor(value * 100 + 1e-9) / 100).toFixed(2)
const digits = (text: string): number => Number(text.replaceAll(/[^\d.-]/g, ''))

describe('the overview', () => {
  it('shows the sums in the database', async () => {
    const { page, complaints } = await visit()
    const all = count('count(*)')
    expect(all).toBeGreaterThan(ASKED)
    const shown = async (name: string): Promise<string[]> => [
      await tile(page, name).locator('strong').innerText(),
      await tile(page, name).locator('span').innerText(),
    ]
    const of = (verdict: string): number => count('count(*)', `verdict = '${verdict}'`)
    expect(await shown('Decisions')).toEqual([String(all), `${share(of('pass'), all)} pass`])
    expect(await shown('Refused')).toEqual([share(of('refuse'), all), `${of('refuse')} questions`])
    expect((await shown('With a caution'))[0]).toBe(share(of('advise'), all))
    const cached = count('count(*)', `cache IN ('hit', 'evidence-hit', 'stale')`)
    expect(cached).toBeGreaterThan(5)
    expect(await shown('From the cache')).toEqual([share(cached, all), `${cached} answers`])
    // The tile leads to a list of just these.
    const address = (await tile(page, 'From the cache').locator('a').getAttribute('href')) ?? ''
    const asked = new URLSearchParams(address.split('?')[1])
    const { decisions } = (await api(`/v1/decisions?limit=1000&${asked}`)) as { decisions: unknown[] }
    expect([asked.get('cache'), decisions.length]).toEqual(['cached', cached])
    const avoided = count('count(saved)')
    expect((await shown('Calls avoided'))[0]).toBe(String(avoided))
    // By the prices above: calls whose tokens were counted, others at the mean of those that were made, less every retrieval.
    const cost = (input: number, output: number): number => (input * 150 + output * 600) / 1e6
    const spent = cost(count('sum(input_tokens)'), count('sum(output_tokens)'))
    const measured = `saved ->> 'inputTokens' IS NOT NULL AND saved ->> 'estimated' IS NULL`
    const known = cost(
      count(`coalesce(sum(saved ->> 'inputTokens'), 0)`, measured),
      count(`coalesce(sum(saved ->> 'outputTokens'), 0)`, measured),
    )
    const meanCost = spent / count('count(model)')
    const others = (avoided - count('count(*)', measured)) * meanCost
    const retrievals = count('count(*)', `cache IN ('miss', 'bypass', 'evidence-hit')`)
    const [money = '', beside = ''] = await shown('Saved')
    expect(money).toMatch(/ EUR$/)
    expect(digits(money)).toBeCloseTo(known + others - retrievals * 0.001, 2)
    expect(digits(beside)).toBeCloseTo(spent, 2)
    expect((await shown('Mean confidence'))[0]).toBe(cut(count('avg(confidence)')))
    expect(complaints).toEqual([])
  })

  it('shows every reason, cache state, policy and response time in the database', async () => {
    const { page } = await visit()
    const all = count('count(*)')
    const bars = async (name: string): Promise<number[]> =>
      (await page.getByRole('region', { name, exact: true }).locator('li .number:not(.quiet)').allInnerTexts()).map(
        Number,
      )
    const counts = (column: string): number[] =>
      rows<[number]>('n', `FROM (SELECT count(*) AS n FROM decisions GROUP BY ${column} ORDER BY n DESC)`).map(
        ([n]) => n,
      )
    expect(await bars('Reasons')).toEqual(counts('reason'))
    expect(await bars('Cache')).toEqual(counts('cache'))
    const policies = await page.getByRole('table', { name: 'By policy' }).locator('tbody tr').allInnerTexts()
    const expected = rows<[string, number, number, number]>(
      'policy_id, n, refused, mean',
      `FROM (SELECT policy_id, count(*) AS n, sum(verdict = 'refuse') AS refused, avg(confidence) AS mean
       FROM decisions GROUP BY policy_id ORDER BY n DESC)`,
    )
    expect(policies.map((text) => text.split('\t').slice(1).join(' '))).toEqual(
      expected.map(([, n, refused, mean]) => `${n} ${share(refused, n)} ${cut(mean)}`),
    )
    const times = page.getByRole('table', { name: 'Response times' }).locator('tbody tr')
    const counted = (await times.locator('td:nth-child(2)').allInnerTexts()).map(Number)
    const cached = count('count(*)', `cache IN ('hit', 'evidence-hit', 'stale')`)
    expect(counted).toEqual([all, cached, all - cached])
    const saved = page.getByRole('table', { name: 'What was not spent' })
    const figure = async (name: string): Promise<number> =>
      digits(
        await saved
          .locator('tr', { has: page.getByText(name) })
          .locator('td')
          .innerText(),
      )
    expect(await figure('Refused before a model was asked')).toBe(count('count(*)', `saved ->> 'by' = 'refusal'`))
    expect(await figure('Spared by the cache')).toBe(count('count(*)', `saved ->> 'by' = 'cache'`))
    expect(await figure('Model calls made')).toBe(count('count(model)'))
  })

  it("shows the series, the policy's thresholds, and what another threshold would refuse", async () => {
    const { page } = await visit()
    await page.getByText('As a table').click()
    const points = await page.getByRole('table', { name: 'Decisions over time' }).locator('tbody tr').allInnerTexts()
    const expected = rows<[string, number, number, number, number]>(
      'hour, n, pass, advise, refuse',
      `FROM (SELECT strftime('%Y-%m-%d %H:00', at_ms / 1000, 'unixepoch') AS hour, count(*) AS n,
         sum(verdict = 'pass') AS pass, sum(verdict = 'advise') AS advise, sum(verdict = 'refuse') AS refuse
       FROM decisions GROUP BY hour ORDER BY hour)`,
    )
    expect(points.map((text) => text.split('\t').slice(0, 5).join(' '))).toEqual(
      expected.map((point) => point.join(' ')),
    )
    const used = String(site.sql('SELECT policy_id FROM decisions GROUP BY 1 ORDER BY count(*) DESC LIMIT 1'))
    const gates = JSON.parse(String(site.sql(`SELECT body ->> '$.gates' FROM policies WHERE id = '${used}'`))) as {
      gate: string
      refuseBelow: number
    }[]
    const gate = gates.find(({ gate: name }) => name === 'confidence-range')!
    expect(await page.locator('.histogram .axis.name').allTextContents()).toEqual(['advise', 'refuse'])
    const slider = page.getByLabel('Try another threshold')
    expect(Number(await slider.inputValue()) / 20).toBeCloseTo(gate.refuseBelow, 9)
    const refused = count('count(*)', `confidence < ${gate.refuseBelow} OR verdict = 'refuse'`)
    expect(await page.locator('#counterfactual').innerText()).toContain(`(${refused}) instead of`)
  })
})

describe('figures and bars', () => {
  it('link to as many decisions as they show, with the chosen filters in the address', async () => {
    const { page, complaints } = await visit()
    await page.goto(`${site.gate.url}/dashboard#/overview?period=7d&collection=default`)
    await page.locator('.bars a').first().waitFor()
    const bars = await page
      .locator('.bars li')
      .evaluateAll((all) =>
        all.map((bar) => [bar.querySelector('a')?.getAttribute('href'), bar.querySelector('.number')?.textContent]),
      )
    // Shares lead as well; they are those of the counts beside them.
    const cells = await page
      .locator('table[class] tbody td a')
      .evaluateAll((all) => all.map((link) => [link.getAttribute('href'), link.textContent]))
    const told = [...bars, ...cells.filter(([, text]) => /^\d+$/.test(text ?? ''))]
    expect(told.length).toBeGreaterThan(8)
    for (const [href, count] of told) {
      expect(href).toMatch(/^#\/decisions\?(?=.*(?:period=7d|from=.*to=))(?=.*collection=default)/)
      await page.goto(`${site.gate.url}/dashboard${href}`)
      await expect
        .poll(() => page.locator('.list tbody tr').count(), { message: href ?? '', timeout: 20_000 })
        .toBe(Math.min(50, Number(count)))
    }
    await page.goto(`${site.gate.url}/dashboard#/overview?period=7d`)
    // The bar itself leads: its link lies over it, which a click by force does not mind.
    await page.getByRole('region', { name: 'Reasons' }).locator('.bar').first().click({ force: true })
    await page.waitForURL((url) => url.hash.startsWith('#/decisions') && url.hash.includes('reason='))
    await open(page, 'Content gaps')
    const gap = page.getByRole('table', { name: 'Questions refused most often' }).locator('tbody tr').first()
    const refused = Number(await gap.locator('td').first().innerText())
    await gap.locator('td a').first().click()
    await expect.poll(() => page.locator('.list tbody tr').count()).toBe(refused)
    expect(complaints).toEqual([])
  })
})

describe('the other views', () => {
  it('list the decisions in the database', async () => {
    const { page, complaints } = await visit()
    await open(page, 'Decisions')
    await page.getByLabel('Verdict').selectOption('refuse')
    await expect
      .poll(async () => new Set(await page.locator('.list .badge').allInnerTexts()))
      .toEqual(new Set(['Refuse']))
    const list = page.locator('.list tbody tr')
    const more = page.getByRole('button', { name: 'Show more' })
    const refused = count('count(*)', `verdict = 'refuse'`)
    expect(await list.count()).toBe(Math.min(50, refused))
    for (let pages = 2; (pages - 1) * 50 < refused; pages++) {
      await more.click()
      await expect.poll(() => list.count()).toBe(Math.min(pages * 50, refused))
    }
    const ids = await list.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    const expected = rows<[string]>('id', `FROM decisions WHERE verdict = 'refuse' ORDER BY at_ms DESC, id DESC`)
    expect(ids).toEqual(expected.map(([id]) => `#/decisions/${id}`))
    await list.locator('a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Decision', exact: true }).waitFor()
    const [latest] = rows<[number, string]>(
      'confidence, text',
      `FROM decisions JOIN question_texts USING (question_hmac)
      WHERE verdict = 'refuse' ORDER BY at_ms DESC, id DESC LIMIT 1`,
    )
    expect(Number(await page.locator('.confidence strong').innerText())).toBeCloseTo(
      Math.floor(latest![0] * 1e3) / 1e3,
      9,
    )
    expect(await page.locator('blockquote').innerText()).toBe(latest![1])
    await open(page, 'Live')
    const live = await page
      .locator('.list tbody a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    const newest = rows<[string]>('id', 'FROM decisions ORDER BY at_ms DESC, id DESC LIMIT 20')
    expect(live).toEqual(newest.map(([id]) => `#/decisions/${id}`))
    expect(complaints).toEqual([])
  })

  it('count gaps, documents, labels and policies as in the database', async () => {
    const { page, complaints } = await visit()
    const shown = async (table: string): Promise<string[][]> =>
      (await page.getByRole('table', { name: table }).locator('tbody tr').allInnerTexts()).map((text) =>
        text.split('\t'),
      )
    await open(page, 'Content gaps')
    const gaps = new Map((await shown('Questions refused most often')).map(([text = '', refused]) => [text, refused]))
    const asked = rows<[string, number]>(
      'text, n',
      `FROM (SELECT text, sum(verdict = 'refuse') AS n FROM decisions JOIN question_texts USING (question_hmac)
       GROUP BY question_hmac HAVING n > 0)`,
    )
    expect(gaps.size).toBe(Math.min(50, asked.length))
    const known = new Map(asked)
    for (const [text, refused] of gaps) expect([text, Number(refused)]).toEqual([text, known.get(text)])
    await open(page, 'Documents')
    const led = new Map(
      rows<[string, number, number, number]>(
        'document, n, refused, mean',
        `FROM (SELECT document_ids ->> 0 AS document, count(*) AS n, sum(verdict = 'refuse') AS refused,
           avg(confidence) AS mean FROM decisions
         WHERE cache IN ('miss', 'bypass') AND document IS NOT NULL GROUP BY document)`,
      ).map(([document, n, refused, mean]) => [document, [cut(mean), String(n), share(refused, n)]]),
    )
    const listed = await shown('Documents by confidence')
    expect(listed.length).toBe(Math.min(50, led.size))
    for (const [name = '', mean, , , n, refused] of listed) {
      expect([name, mean, n, refused]).toEqual([name, ...(led.get(name.split(' ')[0] ?? '') ?? [])])
    }
    await open(page, 'Feedback')
    const said = (verdicts: string): string => {
      const of = (rating: string): number =>
        count('count(*)', `rating = '${rating}' AND verdict ${verdicts}`, 'feedback')
      return `${of('right')} right, ${of('wrong')} wrong`
    }
    const [first] = await shown('Error rates by policy')
    expect(first?.[1]).toContain(said(`= 'refuse'`))
    expect(first?.[2]).toContain(said(`<> 'refuse'`))
    expect((await shown('Latest labels')).length).toBe(count('count(*)', 'true', 'feedback'))
    await open(page, 'Policies')
    for (const [, id, , n, refused] of (await shown('Policies')).filter(([, , , decided]) => decided !== '0')) {
      const of = count('count(*)', `policy_id = '${id}'`)
      expect([n, refused]).toEqual([String(of), share(count(`sum(verdict = 'refuse')`, `policy_id = '${id}'`), of)])
    }
    expect(complaints).toEqual([])
  })
})

describe('every view with many rows', () => {
  it.each(LOOKS)('passes axe, and never scrolls sideways: $scheme, $width wide', async (look) => {
    const { page } = await visit({ colorScheme: look.scheme, viewport: look.viewport })
    for (const name of VIEWS) {
      await open(page, name)
      expect([name, await overflow(page)]).toEqual([name, 0])
      expect([name, await violations(page)]).toEqual([name, []])
      if (SCREENSHOTS !== '') {
        await page.waitForTimeout(400)
        expect(await shoot(page, `full-${name.toLowerCase().replace(' ', '-')}`, look)).toBeGreaterThan(5_000)
      }
    }
  })
})
