/**
 * The examples of the documentation: each TypeScript block is compiled against the sources, and what README and the
 * recipes promise is tried with an index that is not there.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Hono } from 'hono'
import { compile, everyExample, RECIPES } from './compile.ts'
import { examplesOf, patched, read, ROOT } from './pages.ts'

const [APP, ...FURTHER] = examplesOf(RECIPES, 'ts')
const DIFFS = examplesOf(RECIPES, 'diff')
const EXAMPLES = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hono-rag-gate-examples-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

test('every TypeScript block of README, docs and recipes compiles', { timeout: 240_000 }, () => {
  const files = everyExample()
  expect(files.size).toBeGreaterThan(30)
  expect(compile(mkdtempSync(join(folder, 'compiled-')), files).join('\n')).toBe('')
})

/** Stands where an index would be: passages by a word of the question. */
const FAKE_INDEX = `
export const searched = []
export function createUpstashRetriever() {
  return {
    retrieve: async (request) => {
      searched.push(request)
      const passages = [
        { id: 'a', documentId: 'brushes', title: 'Cleaning brushes', text: 'Brushes are cleaned with warm water and soap. Rinse the bristles twice.' },
        { id: 'b', documentId: 'prices', title: 'Prices', text: 'A brush costs four euros. The price of a set of brushes is nine euros.' },
        { id: 'c', documentId: 'ladders', title: 'Ladders', text: 'Ladders stand on level ground. Never climb onto the top rung.' },
      ]
      const words = request.question.toLowerCase().match(/[a-z]{4,}/g) ?? []
      const score = ({ title, text }) => words.filter((word) => (title + ' ' + text).toLowerCase().includes(word)).length
      const entries = passages.map((passage) => ({ passage, score: score(passage) })).filter(({ score }) => score > 0)
      return [{ kind: 'bm25', entries: entries.sort((one, other) => other.score - one.score) }]
    },
  }
}
`

/** An example as a module that runs: the package's paths lead to the sources, and Upstash to a fake. */
async function run(name: string, code: string): Promise<Record<string, unknown>> {
  const fake = join(folder, 'fake-index.ts')
  writeFileSync(fake, FAKE_INDEX)
  const text = code
    .replaceAll(/'@hono-rag-gate\/upstash'/g, `'${pathToFileURL(fake).href}'`)
    .replaceAll(/from '(@?hono[\w/-]*)'/g, (_, name: string) => `from '${import.meta.resolve(name)}'`)
    .replaceAll(/from '\.\/([\w-]+)\.ts'/g, (_, file: string) => `from '${pathToFileURL(join(folder, `${file}.ts`)).href}'`)
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, text)
  return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>
}

const ENV = {
  UPSTASH_VECTOR_REST_URL: 'https://index.test',
  UPSTASH_VECTOR_REST_TOKEN: 'token',
  AI: {
    run: async (_model: string, { contexts }: { contexts: object[] }) => ({
      response: contexts.map((_, id) => ({ id, score: id === 0 ? 4 : -4 })),
    }),
  },
}

interface Reply {
  readonly answer: string
  readonly refused: boolean
  readonly verdict?: string
  readonly reason_code?: string
  readonly refusal_reason?: string
  readonly suggestions?: readonly string[]
}

interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly body: Reply
}

async function ask(app: Hono, path = '/ask', init: RequestInit = {}): Promise<Asked> {
  const response = await app.request(path, init, ENV)
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply }
}

const asJson = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const KNOWN = 'How are brushes cleaned?'
const UNKNOWN = 'What is the capital of France?'
const PRICE = 'What is the price of brushes?'

describe("README's example", () => {
  test('answers what the index contains and refuses other questions', async () => {
    const { code } = examplesOf('README.md', 'ts').find((example) => example.code.includes('export default app'))!
    const { default: app } = (await run('readme', code)) as { default: Hono }
    const known = await ask(app, '/ask', asJson({ question: KNOWN }))
    expect(known).toMatchObject({ status: 200, body: { refused: false } })
    expect(known.headers.get('rag-gate')).toMatch(/^(?:pass|advise)/)
    const unknown = await ask(app, '/ask', asJson({ question: UNKNOWN }))
    expect(unknown).toMatchObject({ status: 200, body: { refused: true, sources: [] } })
    expect(unknown.headers.get('rag-gate')).toContain('refuse')
  })
})

describe('the apps in examples', () => {
  test('are the two tested here, and signed-in.ts, which has its own test', () =>
    expect(EXAMPLES).toEqual(['own-passages.ts', 'signed-in.ts', 'upstash-and-model.ts']))

  test('own-passages answers what its passages contain and refuses other questions', async () => {
    const { default: app } = (await run('own-passages', read('examples/own-passages.ts'))) as { default: Hono }
    const [, named = ''] = /"question": "([^"]+)"/.exec(read('examples/own-passages.ts')) ?? []
    expect(read('examples/README.md')).toContain(`"question":"${named}"`)
    const known = await ask(app, '/ask', asJson({ question: named }))
    expect(known).toMatchObject({ status: 200, body: { refused: false, verdict: 'pass' } })
    expect(known.body.answer).toBe('The warranty lasts two years. It covers the motor and the battery.')
    expect((await ask(app, '/ask', asJson({ question: UNKNOWN }))).body).toMatchObject({ refused: true, sources: [] })
  })

  test('upstash-and-model calls its model once for each supported question, and for no other', async () => {
    const calls: string[] = []
    const model = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        calls.push(body)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ choices: [{ message: { content: 'With warm water and soap.' } }] }))
      })
    })
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = model.address() as AddressInfo
      const { default: app } = (await run('upstash-and-model', read('examples/upstash-and-model.ts'))) as { default: Hono }
      const bindings = { ...ENV, LLM_BASE_URL: `http://127.0.0.1:${port}`, LLM_API_KEY: 'key', LLM_MODEL: 'a-model' }
      const answered = async (question: string): Promise<Reply> =>
        (await app.request('/ask', asJson({ question }), bindings)).json()
      expect(await answered(KNOWN)).toMatchObject({ refused: false, answer: 'With warm water and soap.' })
      expect(await answered(KNOWN)).toMatchObject({ refused: false, answer: 'With warm water and soap.' })
      expect(await answered(UNKNOWN)).toMatchObject({ refused: true, sources: [] })
      expect(calls).toHaveLength(1)
      expect(calls[0]).toContain('Rinse the bristles')
    } finally {
      model.close()
    }
  })
})

describe('the recipes', () => {
  let made = 0
  /** The recipe under this heading, applied to the app of the page. */
  function recipeCode(heading: string): string {
    const text = read(RECIPES)
    const at = text.indexOf(`\n## ${heading}\n`)
    if (at < 0) throw new Error(`There is no recipe "${heading}"`)
    const from = text.slice(0, at + 1).split('\n').length
    const diff = DIFFS.find(({ line }) => line > from)!
    return patched(APP!.code, diff.code)
  }
  const recipe = async (heading: string): Promise<Hono> =>
    ((await run(`recipe-${made++}`, recipeCode(heading))) as { default: Hono }).default

  test('change an app that answers, refuses and stores its answers', async () => {
    const { default: app } = (await run('recipes-app', APP!.code)) as { default: Hono }
    expect((await ask(app, '/ask', asJson({ question: KNOWN }))).body.refused).toBe(false)
    const again = await ask(app, '/ask', asJson({ question: KNOWN }))
    expect(again.headers.get('cache-status')).toContain('hit')
    expect((await ask(app, '/ask', asJson({ question: UNKNOWN }))).body.refused).toBe(true)
    expect((await ask(app, '/ask', asJson({ question: PRICE }))).body.refused).toBe(false)
  })

  test('refuse questions about prices only', async () => {
    const app = await recipe('Refuse questions about prices')
    expect((await ask(app, '/ask', asJson({ question: PRICE }))).body).toMatchObject({
      refused: true,
      reason_code: 'rule_refused',
    })
    expect((await ask(app, '/ask', asJson({ question: KNOWN }))).body.refused).toBe(false)
  })

  test('add a reranker', async () => {
    const app = await recipe('Add a reranker')
    const { headers } = await ask(app, '/ask', asJson({ question: KNOWN }))
    expect(headers.get('server-timing')).toContain('rerank')
  })

  test('store strong answers a day longer', async () => {
    // Only operators are told how long an answer is kept.
    const shown = (code: string): string => code.replace('cache: answer', "authenticate: () => ({ tenant: 'default', id: 'me', scopes: ['ask', 'admin'] }),\n    cache: answer")
    const lifetime = async (code: string): Promise<number> => {
      const { default: app } = (await run(`recipe-${made++}`, shown(code))) as { default: Hono }
      await ask(app, '/ask', asJson({ question: KNOWN }))
      const { headers } = await ask(app, '/ask', asJson({ question: KNOWN }))
      return Number(/ttl=(\d+)/.exec(headers.get('cache-status') ?? '')?.[1])
    }
    const longer = (await lifetime(recipeCode('Cache a day longer'))) - (await lifetime(APP!.code))
    // Each lifetime is shortened by up to a tenth, by its key: three days and two of them may lie that far apart.
    expect(longer).toBeGreaterThanOrEqual(86_400 / 2)
    expect(longer).toBeLessThanOrEqual(2 * 86_400)
  })

  test('refuse in another language', async () => {
    const app = await recipe('Another text for refusals')
    const german = { ...asJson({ question: UNKNOWN }), headers: { 'content-type': 'application/json', 'accept-language': 'de' } }
    expect((await ask(app, '/ask', german)).body.answer).toContain('kann ich diese Frage nicht beantworten')
    expect((await ask(app, '/ask', asJson({ question: UNKNOWN }))).body.answer).toContain('I cannot answer')
  })

  test('judge with an own profile', async () => {
    const profile = FURTHER.find(({ code }) => code.startsWith('// careful.ts'))!
    await run('careful', profile.code)
    const app = await recipe('A sixth profile')
    const { headers } = await ask(app, '/ask', asJson({ question: KNOWN }))
    expect(headers.get('rag-gate')).toContain('policy="careful@')
  })

  test('read the question from messages, a form or a GET request', async () => {
    const messages = [
      { role: 'user', content: UNKNOWN },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: KNOWN },
    ]
    const byMessages = await recipe('Read the question from messages')
    expect((await ask(byMessages, '/ask', asJson({ messages }))).body.refused).toBe(false)
    const ofUseChat = messages.map(({ role, content: text }) => ({ role, parts: [{ type: 'text', text }] }))
    expect((await ask(byMessages, '/ask', asJson({ messages: ofUseChat }))).body.refused).toBe(false)
    const form = new URLSearchParams({ q: KNOWN })
    expect((await ask(await recipe('Read the question from a form'), '/ask', { method: 'POST', body: form })).body.refused).toBe(false)
    const byGet = await recipe('Read the question from a GET')
    expect((await ask(byGet, `/ask?q=${encodeURIComponent(KNOWN)}`)).body.refused).toBe(false)
    expect((await ask(byGet, `/ask?q=${encodeURIComponent(UNKNOWN)}`)).body.refused).toBe(true)
    expect((await ask(byGet, '/ask')).status).toBe(422)
  })

  test('observe without refusing', async () => {
    const { body, headers } = await ask(await recipe('Try the gate out first'), '/ask', asJson({ question: UNKNOWN }))
    expect(body.refused).toBe(false)
    expect(headers.get('rag-gate')).toContain('mode=observe')
  })

  test('send an own response on refusal', async () => {
    const reply = await ask(await recipe('A response of your own on refusal'), '/ask', asJson({ question: UNKNOWN }))
    expect(reply.status).toBe(404)
    expect(reply.body).toMatchObject({ message: expect.stringMatching(/^I cannot answer.*support team/) })
  })

  test('change one file in one place each', () => {
    expect(DIFFS.length).toBeGreaterThanOrEqual(10)
    for (const { code } of DIFFS) expect(code).toMatch(/^\+/m)
  })
})

