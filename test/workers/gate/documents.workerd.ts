import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { GateBindings } from '../../../workers/gate/bindings.ts'
import worker from '../../../workers/gate/index.ts'
import { ADMIN, isolateBindings, workerOver } from '../../worker-requests.ts'
import { failingWrites } from '../../fixtures/failing-writes.ts'

const send = (
  method: string,
  path: string,
  body?: unknown,
  bindings: GateBindings = isolateBindings,
): Promise<Response> => workerOver(bindings).post(path, body, ADMIN, method)

/** The Worker over an index whose nth write fails, and is tried once more in vain. */
const bindingsWithFailingWrite = (nth: number): GateBindings => ({ ...env, DB: failingWrites(env.DB, nth, nth + 1) })

const ask = async (collection: string, question: string) =>
  (await send('POST', '/ask', { collection, question })).json<{ refused: boolean; passages: unknown }>()

describe('DELETE /v1/documents', () => {
  const collection = 'removals'
  const documents = [
    { id: 'guide/rocket fuel', text: '# Rocket fuel\n\nThe rocket burns methane and liquid oxygen.' },
    { id: 'guide/tanks', text: '# Tanks\n\nThe tanks of the rocket hold methane.' },
    { id: 'guide/crew', text: '# Crew\n\nThe crew of the rocket are four astronauts.' },
  ]
  const question = 'What does the rocket burn?'
  const removal = (...ids: string[]) =>
    `/v1/documents?${new URLSearchParams([['collection', collection], ...ids.map((id) => ['id', id])]).toString()}`

  it('removes documents from answers, cache and list in one step', async () => {
    await send('POST', '/v1/documents', { collection, documents })
    expect(await ask(collection, question)).toMatchObject({
      refused: false,
      passages: expect.arrayContaining([expect.objectContaining({ text: expect.stringContaining('methane') })]),
    })
    const ids = ['guide/rocket fuel', 'guide/tanks']
    const removed = await send('DELETE', removal(...ids))
    expect(removed.status).toBe(200)
    expect(await removed.json()).toEqual({
      collection,
      corpus_version: 2,
      ids,
      chunks_removed: 2,
      chunks_to_remove: 0,
    })
    expect(JSON.stringify(await ask(collection, question))).not.toContain('methane')
    const listed = await send('GET', `/v1/documents?collection=${collection}`)
    expect(await listed.json()).toMatchObject({ documents: [{ id: 'guide/crew', chunks: 1 }], next_cursor: null })
  })

  it.each(['guide/rocket fuel', 'never-there'])(
    'answers 404 for %s, also when repeated, and removes nothing',
    async (id) => {
      for (let time = 0; time < 2; time++) {
        const response = await send('DELETE', removal('guide/crew', id))
        expect(response.status).toBe(404)
        expect(await response.json()).toMatchObject({ error: { code: 'document_not_found', param: 'id[1]' } })
      }
      expect(await ask(collection, 'Who are the crew of the rocket?')).toMatchObject({ refused: false })
    },
  )
})

describe('GET /v1/documents and /v1/collections', () => {
  it('list everything page by page', async () => {
    const collection = 'listed'
    const documents = ['c', 'a', 'b'].map((id) => ({ id, text: `Document ${id} speaks of ${id}.` }))
    await send('POST', '/v1/documents', { collection, documents })
    const first = await send('GET', `/v1/documents?collection=${collection}&limit=2`)
    expect(await first.json()).toMatchObject({ documents: [{ id: 'a' }, { id: 'b' }], next_cursor: 'b' })
    const second = await send('GET', `/v1/documents?collection=${collection}&limit=2&cursor=b`)
    expect(await second.json()).toMatchObject({ documents: [{ id: 'c' }], next_cursor: null })
    const all = await (await send('GET', '/v1/collections')).json<{ collections: { id: string }[] }>()
    expect(all.collections).toContainEqual({
      id: collection,
      corpus_version: 1,
      embedding_model: expect.any(String),
      dimension: expect.any(Number),
      lexicon_id: expect.anything(),
      policy: null,
      reader: null,
      chunks_to_remove: 0,
    })
  })
})

describe('an ingestion whose index fails', () => {
  const long = (word: string) =>
    Array.from({ length: 1010 }, (_, at) => `${word} ${at} ${`${word} is told at length `.repeat(28)}`).join('\n\n')
  const documents = ['alpha', 'beta', 'gamma'].map((id) => ({ id, text: id === 'alpha' ? long(id) : `All of ${id}.` }))

  it('answers 207 for each document, and continues when repeated', { timeout: 60_000 }, async () => {
    const body = { collection: 'partly', documents }
    const partly = await send('POST', '/v1/documents', body, bindingsWithFailingWrite(2))
    expect(partly.status).toBe(207)
    expect(await partly.json()).toMatchObject({
      corpus_version: 1,
      documents: [
        { id: 'alpha', status: 'added' },
        { id: 'beta', status: 'failed', code: 'retriever_unavailable' },
        { id: 'gamma', status: 'failed', code: 'retriever_unavailable' },
      ],
    })
    const repeated = await send('POST', '/v1/documents', body)
    expect(repeated.status).toBe(200)
    expect(await repeated.json()).toMatchObject({
      corpus_version: 2,
      documents: [{ status: 'unchanged' }, { status: 'added' }, { status: 'added' }],
    })
  })

  it('answers the error when nothing was published, and the cron trigger removes the remains', async () => {
    const body = { collection: 'nothing', documents: [{ id: 'a', text: 'Alpha.' }] }
    const failed = await send('POST', '/v1/documents', body, bindingsWithFailingWrite(1))
    expect(failed.status).toBe(503)
    const unpublished = () =>
      env.DB.prepare("SELECT count(*) AS n FROM unpublished_chunks WHERE collection = 'nothing'").first('n')
    expect(await unpublished()).toBe(1)
    // For a minute it stays hidden, in case that something of it arrives late.
    await env.DB.prepare("UPDATE unpublished_chunks SET since_ms = since_ms - 60000 WHERE collection = 'nothing'").run()
    await worker.scheduled(createScheduledController(), env)
    expect(await unpublished()).toBe(0)
  })
})

describe('HTML pages', () => {
  const post = async (collection: string, ...documents: Record<string, unknown>[]) => {
    const response = await send('POST', '/v1/documents', {
      collection,
      documents: documents.map((document) => ({ format: 'html', ...document })),
    })
    return { status: response.status, body: await response.json<{ documents: object[]; error: object }>() }
  }
  const fuel = 'The rocket burns methane and liquid oxygen.'

  it('are evidence by their visible text, not by text moved off the screen', async () => {
    const page = (style: string) =>
      `<title>Notes</title><p>Pictures of ducks.</p><div style="${style}"><p>${fuel}</p></div>`
    for (const style of [
      'position:absolute;left:-9999px',
      'display:/**/none',
      'font-size:.1px',
      'clip-path:inset(100%)',
    ]) {
      const reply = await post('hidden-html', { id: 'page', text: page(style) })
      expect(reply.body.documents).toMatchObject([{ chunks: 1, flags: ['hidden_text'] }])
      expect(await ask('hidden-html', 'What does the rocket burn?')).toMatchObject({ refused: true })
    }
    const white = await post('white-html', { id: 'page', text: page('color:#fff;background:#000') })
    expect(white.body.documents).toMatchObject([{ status: 'added', chunks: 1, flags: [] }])
    expect(await ask('white-html', 'What does the rocket burn?')).toMatchObject({ refused: false })
  })

  it('are reported empty when they have no readable text', async () => {
    const reply = await post(
      'empty-html',
      { id: 'a', text: '<div hidden>x</div>' },
      { id: 'b', text: '<script>1</script>' },
    )
    expect(reply.status).toBe(200)
    expect(reply.body.documents).toMatchObject([
      { id: 'a', status: 'empty', chunks: 0, flags: ['hidden_text'] },
      { id: 'b', status: 'empty', chunks: 0, flags: [] },
    ])
  })

  it('are one document whether the letters of their id are composed or not', async () => {
    const first = await post('composed', { id: 'cafe\u0301', text: '<p>Coffee.' })
    const second = await post('composed', { id: 'caf\u00e9', text: '<p>Coffee.' })
    expect([first, second].map(({ body }) => body.documents)).toMatchObject([
      [{ id: 'caf\u00e9', status: 'added' }],
      [{ id: 'caf\u00e9', status: 'unchanged' }],
    ])
    const removed = await send('DELETE', `/v1/documents?collection=composed&id=${encodeURIComponent('cafe\u0301')}`)
    expect(removed.status).toBe(200)
  })

  it('do not block other requests while they are parsed', async () => {
    await post('neighbour', { id: 'a', text: `<p>${fuel}</p>` })
    const documents = Array.from({ length: 3 }, (_, at) => ({
      id: `long-${at}`,
      text: `<p>${'<i style=x>a</i>'.repeat(1500)}`,
    }))
    const reading = { done: false }
    const sent = post('long', ...documents).finally(() => {
      reading.done = true
    })
    let answered = 0
    while (!reading.done) {
      expect(await ask('neighbour', 'What does the rocket burn?')).toMatchObject({ refused: false })
      answered++
      await scheduler.wait(10)
    }
    const { status, body } = await sent
    expect(status).toBe(200)
    expect(body.documents).toHaveLength(3)
    expect(answered).toBeGreaterThan(3)
  }, 60_000)
})
