/** Collections, keys, documents and errors on the page at `/`, in a real browser, against a real Worker. */
import { describe, expect, it } from 'vitest'
import { ingest } from '../../packages/cli/src/gate-client.ts'
import { ask, fact, openAccess, pageSite, STRONG, useKey } from './page-site.ts'

const site = pageSite()
const { visit } = site

describe('a collection', () => {
  it('can be typed without a key, and is then used', async () => {
    await ingest(
      site.gate.url,
      site.gate.adminToken,
      [{ id: 'r.md', text: 'The launch code of the rocket is 7421.' }],
      'rockets',
    )
    const { page, complaints } = await visit()
    expect(await page.getByRole('textbox', { name: 'Collection' }).inputValue()).toBe('default')
    await page.getByRole('textbox', { name: 'Collection' }).fill('rockets')
    await page.getByRole('textbox', { name: 'Collection' }).press('Tab')
    await ask(page, 'What is the launch code of the rocket?')
    expect(await page.locator('.results').innerText()).toContain('7421')
    expect(await fact(page, 'Collection').innerText()).toBe('rockets')
    // The examples are about other documents.
    expect(await page.getByRole('group', { name: 'Examples' }).isVisible()).toBe(false)
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Collection' }).inputValue()).toBe('rockets')
    expect(complaints).toEqual([])
  })

  it('that does not exist shows an ordinary error', async () => {
    const { page } = await visit()
    await page.getByRole('textbox', { name: 'Collection' }).fill('never-made')
    await ask(page, STRONG)
    expect(await fact(page, 'Code').innerText()).toBe('collection_not_found')
  })

  it('can be chosen from a list with a key', async () => {
    await ingest(
      site.gate.url,
      site.gate.adminToken,
      [{ id: 'r.md', text: 'The launch code of the rocket is 7421.' }],
      'rockets',
    )
    const { page, complaints } = await visit()
    await useKey(page, site.gate.adminToken)
    const list = page.getByRole('combobox', { name: 'Collection' })
    expect(await list.locator('option').allInnerTexts()).toEqual(expect.arrayContaining(['default', 'rockets']))
    await list.selectOption('rockets')
    await ask(page, 'What is the launch code of the rocket?')
    expect(await page.locator('.results').innerText()).toContain('7421')
    expect(complaints).toEqual([])
  })
})

describe('a key', () => {
  it('is sent with every question, kept in the tab only, and forgotten on request', async () => {
    const { page, context, complaints } = await visit()
    const sent: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/ask')) sent.push(request.headers()['authorization'])
    })
    await ask(page, STRONG)
    await useKey(page, site.gate.adminToken)
    expect(await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue()).toBe('')
    await ask(page, STRONG)
    await page.reload()
    await expect.poll(() => page.getByRole('combobox', { name: 'Collection' }).count()).toBe(1)
    await ask(page, STRONG)
    expect(sent).toEqual([undefined, `Bearer ${site.gate.adminToken}`, `Bearer ${site.gate.adminToken}`])
    expect(await page.content()).not.toContain(site.gate.adminToken)
    expect(page.url()).not.toContain(site.gate.adminToken)
    expect(await page.evaluate(() => ({ local: { ...localStorage }, cookies: document.cookie }))).toEqual({
      local: {},
      cookies: '',
    })
    const other = await context.newPage()
    await other.goto(site.gate.url)
    expect(await other.evaluate(() => ({ ...sessionStorage }))).toEqual({})

    await openAccess(page)
    await page.getByRole('button', { name: 'Forget' }).click()
    expect(await page.locator('#key-state').innerText()).toBe('Without a key you ask anonymously.')
    expect(await page.evaluate(() => sessionStorage.getItem('rag-gate.key'))).toBe(null)
    expect(await page.getByRole('form', { name: 'Add documents' }).isVisible()).toBe(false)
    await ask(page, STRONG)
    expect(sent.at(-1)).toBeUndefined()
    expect(complaints).toEqual([])
  })

  it('that is wrong is reported, and not kept', async () => {
    const { page } = await visit()
    await useKey(page, 'rg_wrong')
    expect(await page.locator('#key-state').innerText()).toBe('The gate does not accept this key.')
    expect(await page.evaluate(() => sessionStorage.getItem('rag-gate.key'))).toBe(null)
    await useKey(page, 'žluťoučký')
    expect(await page.locator('#key-state').innerText()).toContain('no key')
    await ask(page, STRONG)
    expect(await page.locator('#result').getAttribute('class')).toMatch(/pass|advise/)
  })

  it('is ignored when another or none replaced it before the gate answered', async () => {
    const { page } = await visit()
    const held: (() => void)[] = []
    await page.route('**/v1/collections', async (route) => {
      const response = await route.fetch()
      if (held.length < 2) await new Promise<void>((resolve) => held.push(resolve))
      await route.fulfill({ response })
    })
    const state = page.locator('#key-state')
    const type = async (key: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key)
      await page.getByRole('textbox', { name: 'Key', exact: true }).press('Enter')
    }
    await openAccess(page)
    await type('rg_wrong')
    expect(await state.innerText()).toBe('The key is being tried …')
    await expect.poll(() => held.length).toBe(1)
    await type(site.gate.adminToken)
    await expect.poll(() => held.length).toBe(2)
    await type('')
    expect(await state.innerText()).toBe('Without a key you ask anonymously.')
    await useKey(page, site.gate.adminToken)
    for (const [at, path] of ['wrong', 'given up'].entries()) {
      const late = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/v1/collections'))
      held[at]?.()
      await late
      expect([path, await state.innerText()]).toEqual([path, 'The key is in use. It may add documents.'])
      expect(await page.evaluate(() => sessionStorage.getItem('rag-gate.key'))).toBe(site.gate.adminToken)
    }
  })

  it('with only the ask scope lists and adds nothing', async () => {
    const made = await fetch(`${site.gate.url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.gate.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'asks', scopes: ['ask'] }),
    })
    const { token } = (await made.json()) as { token: string }
    const { page } = await visit()
    await useKey(page, token)
    expect(await page.locator('#key-state').innerText()).toContain('neither list collections nor add documents')
    expect(await page.getByRole('textbox', { name: 'Collection' }).isVisible()).toBe(true)
    expect(await page.locator('#document-form').isVisible()).toBe(false)
    await ask(page, STRONG)
    expect(await page.locator('#result').getAttribute('class')).toMatch(/pass|advise/)
  })
})

describe('documents', () => {
  it('are added from files and text, named when they cannot be, and answer questions at once', async () => {
    const { page, complaints } = await visit()
    await useKey(page, site.gate.adminToken)
    await page.locator('#files').setInputFiles([
      {
        name: 'oxygen.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from('---\ntitle: "Life support"\n---\nThe oxygen lasts for nine days.\n'),
      },
      { name: 'manual.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') },
      { name: 'broken.txt', mimeType: 'text/plain', buffer: Buffer.from([0xff]) },
    ])
    await page.getByLabel('Or a text, in Markdown').fill('# Hatch\n\nThe hatch opens inwards.')
    await page.getByLabel('Its id').fill('hatch.md')
    await page.getByLabel('Into the collection').fill('station')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.locator('#taken .pass').first().waitFor()
    const lines = (await page.locator('#taken li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(lines).toEqual([
      'Not taken manual.pdf Markdown, text and HTML can be read here; the command line reads more.',
      'Not taken broken.txt It is not UTF-8, or cannot be read.',
      'Taken oxygen.md added, 1 passage in station',
      'Taken hatch.md added, 1 passage in station',
    ])
    expect(await page.getByRole('combobox', { name: 'Collection' }).inputValue()).toBe('station')
    await ask(page, 'How long does the oxygen last?')
    expect(await page.locator('.results > li').first().innerText()).toMatch(/^Life support[\s\S]*nine days/)
    expect(complaints).toEqual([])
  })

  it('that the gate rejects are named with its message', async () => {
    const { page } = await visit()
    await useKey(page, site.gate.adminToken)
    await page.getByLabel('Or a text, in Markdown').fill('Text.')
    await page.getByLabel('Its id').fill('x'.repeat(600))
    await page
      .locator('#files')
      .setInputFiles([{ name: 'valve.txt', mimeType: 'text/plain', buffer: Buffer.from('The valve closes by hand.') }])
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await expect.poll(() => page.locator('#taken').innerText()).toContain('document_id: id must be')
    expect(await page.locator('#taken').innerText()).toContain('valve.txt added, 1 passage in default')
    // What was not taken can be mended.
    expect(await page.getByLabel('Or a text, in Markdown').inputValue()).toBe('Text.')
  })

  it('that are missing send nothing', async () => {
    const { page, complaints } = await visit()
    await useKey(page, site.gate.adminToken)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    expect(await page.locator('#taken').innerText()).toContain('Choose a file, or paste a text.')
    expect(complaints).toEqual([])
  })
})

describe('an error', () => {
  it('of the gate is shown with code and request id, and can be retried', async () => {
    const { page } = await visit()
    await ask(page, 'long '.repeat(20_000))
    expect(await page.getByRole('alert').innerText()).toContain('did not take this question')
    expect(await fact(page, 'Status').innerText()).toBe('413')
    expect(await fact(page, 'Code').innerText()).toBe('body_too_large')
    expect(await fact(page, 'Request').innerText()).toMatch(/^[0-9a-f-]{36}$/)
    expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true)
    await ask(page, STRONG)
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('is shown when the gate is unreachable, and disappears when it is back', async () => {
    const { page, context } = await visit()
    await context.setOffline(true)
    await ask(page, STRONG)
    expect(await page.getByRole('alert').innerText()).toContain('cannot be reached')
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('#result.pass, #result.advise').waitFor()
  })

  it('is shown when the response is not from a gate', async () => {
    const { page } = await visit()
    await page.route('**/ask', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad</h1>' }),
    )
    await ask(page, STRONG)
    expect(await page.getByRole('alert').innerText()).toContain('could not answer')
    expect(await fact(page, 'Status').innerText()).toBe('502')
  })
})
