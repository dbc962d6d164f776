import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Index } from '@upstash/vector'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../packages/cli/src/main.ts'
import { terminalOn } from '../../packages/cli/src/terminal.ts'
import { decodeLexicon } from '../../src/core/text/lexicon.ts'
import { embeddedIndex } from '../fixtures/embedded-index.ts'
import { answering, type Answer, type ScriptedUpstream, startUpstream } from '../fixtures/scripted-upstream.ts'
import { buildLexicon } from '../fixtures/english.ts'

const TEXTS = ['Red paint dries in an hour.', 'Blue paint dries in a day.', 'Brushes are cleaned with soap.']

let folder: string
let upstream: ScriptedUpstream

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-lexicon-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  upstream = await startUpstream(() => undefined)
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
})
afterEach(() => {
  vi.restoreAllMocks()
  return upstream.stop()
})

async function run(env: Record<string, string>, ...given: string[]) {
  const written = { out: '', notes: '' }
  const terminal = terminalOn({
    stdout: { write: (text) => void (written.out += text) },
    stderr: { write: (text) => void (written.notes += text) },
    env,
  })
  const code = await runCommand(['lexicon', ...given], terminal)
  return { code, ...written }
}

const bodyIn = (body: string): unknown => (body === '' ? undefined : JSON.parse(body))

describe('rag-gate lexicon over Upstash', () => {
  const env = () => ({ UPSTASH_VECTOR_REST_URL: upstream.url, UPSTASH_VECTOR_REST_TOKEN: 'secret' })
  const requests: { path: string; token: string | undefined; body: unknown }[] = []
  let client: Index

  beforeEach(() => {
    const index = embeddedIndex({ indexType: 'DENSE', dimension: 2 })
    requests.length = 0
    upstream.answerWith(async (response, request, body) => {
      requests.push({ path: request.url!, token: request.headers.authorization, body: bodyIn(body) })
      const answer = await index(`http://x${request.url}`, { body })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    })
    client = new Index({ url: upstream.url, token: 'secret', enableTelemetry: false })
  })

  it('counts every row of the default namespace, page by page, and writes a lexicon that a collection accepts', async () => {
    const many = Array.from({ length: 1203 }, (_, at) => TEXTS[at % 3]!)
    const rows = many.map((content, at) => ({ id: `r${at}`, vector: [1, at], metadata: { content } }))
    for (let at = 0; at < rows.length; at += 500) await client.upsert(rows.slice(at, at + 500))
    await client.upsert({ id: 'x', vector: [1, 1], metadata: { content: 'elsewhere' } }, { namespace: 'other' })
    requests.length = 0
    const out = join(folder, 'docs.lexicon.txt')
    expect(await run(env(), '--out', out)).toEqual({
      code: 0,
      out: `${out}: ${buildLexicon(TEXTS).documentFrequency.size} terms of 1203 chunks\n`,
      notes: '',
    })
    expect(decodeLexicon(readFileSync(out, 'utf8'))).toEqual(buildLexicon(many))
    expect(requests.map(({ path }) => path)).toEqual(['/info', '/range', '/range'])
    expect(requests.map(({ token }) => token)).toEqual(Array(3).fill('Bearer secret'))
  })

  it('prints the lexicon of a given namespace and member', async () => {
    await client.upsert(
      TEXTS.map((answer, at) => ({ id: `r${at}`, vector: [1, at], metadata: { answer, text: 'other' } })),
      { namespace: encodeURIComponent('prod docs') },
    )
    const { out, code } = await run(
      {},
      '--index',
      upstream.url,
      '--token',
      's',
      '--namespace',
      'prod docs',
      '--text',
      'answer',
    )
    expect(code).toBe(0)
    expect(decodeLexicon(out.trimEnd())).toEqual(buildLexicon(TEXTS))
  })

  it('reports rows without text, and a summary as JSON', async () => {
    await client.upsert([
      { id: 'a', vector: [1, 0], metadata: { chunk: TEXTS[0] } },
      { id: 'b', vector: [0, 1], metadata: { page: 3 } },
    ])
    const out = join(folder, 'some.lexicon.txt')
    const { notes, ...rest } = await run(env(), '--out', out, '--json')
    expect(JSON.parse(rest.out)).toEqual({ rows: 2, rows_without_text: 1, chunks: 1, distinct_terms: 4, out })
    expect(notes).toContain('1 of 2 rows have no text')
  })

  it.each([
    ['an empty index', [], [], 'The namespace "" of the index is empty. So are all others.'],
    ['an empty namespace', ['--namespace', 'nowhere'], TEXTS, 'Not empty, for --namespace: "" (3)'],
    ['rows without the text that is said', ['--text', 'body'], TEXTS, 'Members of their metadata: content.'],
  ])('fails over %s with advice', async (_name, given, texts, message) => {
    if (texts.length > 0) {
      await client.upsert(texts.map((content, at) => ({ id: `r${at}`, vector: [1, at], metadata: { content } })))
    }
    const { code, notes, out } = await run(env(), ...given)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(notes).toContain(message)
  })

  it.each<[string, Answer, string]>([
    [
      'refuses',
      answering('{"error":"Unauthorized: Invalid auth token","status":401}', 401),
      'status 401, Unauthorized',
    ],
    ['is no index', answering('<h1>hello</h1>'), 'not JSON'],
    ['sends other JSON', answering('{"hello":"world"}'), 'status 200, not a response of an index'],
    ['answers otherwise', answering('{"result":[]}'), 'does not respond like an Upstash index'],
    [
      'gives the same page for ever',
      (response, request) =>
        response.end(
          JSON.stringify({
            result: request.url!.endsWith('info')
              ? { namespaces: { '': { vectorCount: 1 } } }
              : { nextCursor: '0', vectors: [{ id: 'a', data: 'x' }] },
          }),
        ),
      'does not respond like an Upstash index',
    ],
  ])('fails over an index that %s, without showing the token', async (_name, answer, message) => {
    upstream.answerWith(answer)
    const { code, notes } = await run(env())
    expect(code).toBe(1)
    expect(notes).toContain(message)
    expect(notes).not.toContain('secret')
  })

  it('repeats a call after a temporary error', async () => {
    let calls = 0
    upstream.answerWith((response, request) => {
      calls++
      if (calls === 1) return void response.writeHead(429).end('{"error":"slow down"}')
      const result = request.url!.endsWith('info')
        ? { namespaces: { '': { vectorCount: 1 } } }
        : { nextCursor: '', vectors: [{ id: 'a', data: TEXTS[0] }] }
      response.end(JSON.stringify({ result }))
    })
    expect((await run(env())).code).toBe(0)
    expect(calls).toBe(3)
  })

  it('reports a file that cannot be written', async () => {
    await client.upsert({ id: 'a', vector: [1, 0], metadata: { chunk: TEXTS[0] } })
    expect(await run(env(), '--out', join(folder, 'no', 'such', 'folder'))).toMatchObject({
      code: 1,
      notes: expect.stringContaining('cannot be written'),
    })
  })
})

describe('rag-gate lexicon over Vectorize', () => {
  const env = () => ({
    CLOUDFLARE_API_TOKEN: 'secret',
    CLOUDFLARE_ACCOUNT_ID: 'acc',
    CLOUDFLARE_API_BASE_URL: `${upstream.url}/client/v4`,
  })
  const PATH = '/client/v4/accounts/acc/vectorize/v2/indexes/docs'

  /** Cloudflare's API in its documented shapes: pages of two, reads of twenty at most. */
  function vectors(rows: readonly { id: string; namespace?: string; metadata?: object }[]) {
    const paths: string[] = []
    upstream.answerWith((response, request, body) => {
      paths.push(`${request.method} ${request.url}`)
      const url = new URL(request.url!, upstream.url)
      const send = (result: unknown): void =>
        void response.end(JSON.stringify({ success: true, errors: [], messages: [], result }))
      if (url.pathname === `${PATH}/list`) {
        const from = Number(url.searchParams.get('cursor') ?? 0)
        const page = rows.slice(from, from + 2)
        const isTruncated = from + 2 < rows.length
        return send({
          count: page.length,
          totalCount: rows.length,
          isTruncated,
          ...(isTruncated && { nextCursor: String(from + 2), cursorExpirationTimestamp: '2030-01-01T00:00:00Z' }),
          vectors: page.map(({ id }) => ({ id })),
        })
      }
      if (url.pathname !== `${PATH}/get_by_ids`) throw new Error(`not expected: ${url.pathname}`)
      const { ids } = bodyIn(body) as { ids: string[] }
      if (ids.length > 20) throw new Error('too many ids')
      return send(rows.filter(({ id }) => ids.includes(id)).map((row) => ({ values: [0, 1], ...row })))
    })
    return paths
  }

  it('lists the vectors and reads their metadata', async () => {
    const paths = vectors(TEXTS.map((content, at) => ({ id: `v${at}`, metadata: { content } })))
    const { code, out } = await run(env(), '--vectorize', 'docs')
    expect(code).toBe(0)
    expect(decodeLexicon(out.trimEnd())).toEqual(buildLexicon(TEXTS))
    expect(paths).toEqual([
      `GET ${PATH}/list?count=1000`,
      `POST ${PATH}/get_by_ids`,
      `GET ${PATH}/list?count=1000&cursor=2`,
      `POST ${PATH}/get_by_ids`,
    ])
  })

  it('counts one given namespace', async () => {
    vectors(
      TEXTS.map((content, at) => ({ id: `v${at}`, namespace: at === 1 ? 'prod' : 'test', metadata: { content } })),
    )
    const { out } = await run(env(), '--vectorize', 'docs', '--namespace', 'prod')
    expect(decodeLexicon(out.trimEnd())).toEqual(buildLexicon([TEXTS[1]!]))
    expect(await run(env(), '--vectorize', 'docs', '--namespace', 'none')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('is the namespace the right one?'),
    })
  })

  it("reports Cloudflare's error message, and fails for an empty index", async () => {
    vectors([])
    expect(await run(env(), '--vectorize', 'docs')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('The index docs is empty'),
    })
    upstream.answerWith(
      answering('{"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"result":null}', 403),
    )
    expect(await run(env(), '--vectorize', 'docs')).toMatchObject({
      code: 1,
      notes: expect.stringContaining('status 403, Authentication error'),
    })
  })
})

describe('rag-gate lexicon', () => {
  it("reads the project's .dev.vars, unless the environment names an index", async () => {
    const vars = join(folder, '.dev.vars')
    const asked: (string | undefined)[] = []
    upstream.answerWith((response, request) => {
      asked.push(request.headers.authorization)
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Unauthorized","status":401}')
    })
    writeFileSync(vars, `UPSTASH_VECTOR_REST_URL="${upstream.url}"\nUPSTASH_VECTOR_REST_TOKEN="of-the-project"\n`)
    try {
      expect((await run({})).code).toBe(1)
      const env = { UPSTASH_VECTOR_REST_URL: upstream.url, UPSTASH_VECTOR_REST_TOKEN: 'of-the-shell' }
      expect((await run(env)).code).toBe(1)
      // Its token belongs to its own index.
      expect(await run({ UPSTASH_VECTOR_REST_URL: upstream.url })).toMatchObject({ code: 2 })
      expect(await run({}, '--index', upstream.url)).toMatchObject({ code: 2 })
    } finally {
      rmSync(vars)
    }
    expect(asked).toEqual(['Bearer of-the-project', 'Bearer of-the-shell'])
  })

  it.each<[string[], string]>([
    [[], 'Which index?'],
    [['--index', 'ftp://x', '--token', 't'], 'not a valid http or https address'],
    [['--index', 'https://x.test'], 'UPSTASH_VECTOR_REST_TOKEN'],
    [['--vectorize', 'docs'], 'CLOUDFLARE_ACCOUNT_ID'],
    [['--vectorize', 'docs', '--account', 'a'], 'CLOUDFLARE_API_TOKEN'],
    [['--json'], '--json needs --out'],
    [['--what'], '--what'],
    [['docs'], 'takes no words'],
  ])('reports the wrong call %j', async (given, message) => {
    const { code, notes, out } = await run({}, ...given)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(notes).toContain(message)
  })

  it('prints its usage', async () => {
    const { code, out } = await run({}, '--help')
    expect(code).toBe(0)
    for (const word of ['--vectorize', '--namespace', '--text', '--out']) expect(out).toContain(word)
  })
})
