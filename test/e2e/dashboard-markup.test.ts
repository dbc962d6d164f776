/** Markup in what people wrote, on every view of the dashboard: always text. */
import { beforeAll, describe, expect, it } from 'vitest'
import { DEEP } from '../deep-run.ts'
import { XSS_PAYLOADS as ALL } from '../fixtures/xss-payloads.ts'
import { dashboardSite, open, recordTraffic } from './dashboard-site.ts'

const PAYLOADS = DEEP ? ALL : ALL.filter((_, at) => at % 5 === 0)

const site = dashboardSite()
const { api, ask, visit } = site

beforeAll(async () => {
  await recordTraffic(site)
  // One of each payload as a reason for a policy, and as a question.
  for (const payload of PAYLOADS) {
    await api('/v1/policy', 'PUT', { policy: null, why: payload })
    await ask(payload.slice(0, 300))
  }
})

describe('markup in what people wrote', () => {
  it(`is text: ${PAYLOADS.length} payloads`, async () => {
    const { page, complaints } = await visit()
    await open(page, 'Policies')
    const shown = await page.getByRole('table', { name: 'Who chose which policy' }).innerText()
    for (const payload of PAYLOADS) expect(squeezed(shown)).toContain(squeezed(payload))
    for (const name of ['Decisions', 'Content gaps', 'Documents'] as const) await open(page, name)
    await page.goto(`${site.gate.url}/dashboard#/decisions/${encodeURIComponent(PAYLOADS[0]!)}`)
    await page.getByRole('alert').waitFor()
    expect(await page.locator('main img, main script, main iframe, main [onerror]').count()).toBe(0)
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
  })
})

describe('markup in questions, titles and comments', () => {
  it(`is text: ${PAYLOADS.length} payloads each`, async () => {
    const { page, complaints } = await visit()
    const { decisions } = (await api('/v1/decisions?limit=100')) as { decisions?: { id: string }[] }
    for (const [at, comment] of PAYLOADS.entries()) {
      await api(`/v1/decisions/${decisions![at]!.id}/label`, 'PUT', { rating: 'right', comment })
    }
    await open(page, 'Feedback')
    const said = squeezed(await page.getByRole('table', { name: 'Latest labels' }).innerText())
    for (const payload of PAYLOADS) expect(said).toContain(squeezed(payload))

    // Where texts are kept a question is shown in its words, and a document by its id, which may be a title.
    await page.route('**/v1/stats/content-gaps?*', async (route) => {
      const [gap] = (await (await route.fetch()).json()).content_gaps as object[]
      await route.fulfill({ json: { content_gaps: PAYLOADS.map((text) => ({ ...gap, text, collection: text })) } })
    })
    await page.route('**/v1/stats/documents?*', async (route) => {
      const [document] = (await (await route.fetch()).json()).documents as object[]
      await route.fulfill({ json: { documents: PAYLOADS.map((text) => ({ ...document, document_id: text })) } })
    })
    for (const [view, table] of [
      ['Content gaps', 'Questions refused most often'],
      ['Documents', 'Documents by confidence'],
    ] as const) {
      await open(page, view)
      const shown = squeezed(await page.getByRole('table', { name: table }).innerText())
      for (const payload of PAYLOADS) expect(shown).toContain(squeezed(payload))
    }
    await page.route('**/v1/decisions/*', async (route) => {
      const response = await route.fetch()
      const recorded = (await response.json()) as Record<string, unknown>
      const all = PAYLOADS.join('\n')
      const told = { badge: { look: 'success', text: all }, banner: all }
      const json = { ...recorded, question_text: all, document_ids: PAYLOADS, told, model: all, route: all }
      await route.fulfill({ response, json })
    })
    await page.goto(`${site.gate.url}/dashboard#/decisions/${decisions![0]!.id}`)
    await page.locator('blockquote').waitFor()
    for (const place of ['blockquote', '.mark', '.banner', '.plain']) {
      const shown = squeezed(await page.locator(place).innerText())
      for (const payload of PAYLOADS) expect(shown, place).toContain(squeezed(payload))
    }
    expect(await page.locator('main img, main script, main iframe, main [onerror], main base').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
